/**
 * Money of UTXO chains that no known transaction of ours brought, until it is booked as capital:
 * the operator's at the hot wallet, and change of unknown transactions.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Block } from '../../../domain/sending/outgoing.ts';
import type { UtxoRepository } from '../../../ports/sending/utxo-repository.ts';
import type { Utxo } from '../../../ports/sending/utxo-spending.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals } from '../schema/columns.ts';
import { utxos as c } from '../schema/outgoing.ts';
import { capitalBookings as k } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import { at, insertInto, notNull, nullable, set, toExcluded, total, value } from '../statement-parts.ts';
import {
  COIN,
  COIN_KEY,
  OUTPOINT,
  OUTPOINTS,
  outpointsOf,
  type UtxoRow,
  utxoFromRow,
  utxoToRow,
} from './utxo-row.ts';

const INSERT_IN_BLOCK = statement({
  given: { chain: c.chain, ...COIN, blockHeight: c.blockHeight, blockHash: c.blockHash, booked: c.booked },
  text: (values) => sql`
    ${insertInto(c, values)} on conflict (${COIN_KEY}) do update set ${toExcluded(c.blockHeight, c.blockHash)}
    where ${c.blockHash} is distinct from ${at('excluded', c.blockHash)}`,
});
const IS_FUNDING = statement({
  given: OUTPOINT,
  text: ({ chain, txid, vout }) => sql`
    select from ${c} where ${c.chain} = ${chain} and ${c.txid} = ${txid} and ${c.vout} = ${vout}
      and ${equals(c.keyRole, 'hot')}`,
});
const UNBOOKED_UNITS = statement({
  given: { chain: c.chain, height: c.blockHeight },
  selects: { units: total(c.units) },
  text: ({ chain, height }, select) => sql`
    select ${select} from ${c}
    where ${c.chain} = ${chain} and not ${c.booked} and ${c.blockHash} is not null and ${c.blockHeight} <= ${height}`,
});
const REMOVE_FUNDING = statement({
  given: OUTPOINT,
  text: ({ chain, txid, vout }) => sql`
    delete from ${c} where ${c.chain} = ${chain} and ${c.txid} = ${txid} and ${c.vout} = ${vout}
      and not ${c.booked} and ${equals(c.keyRole, 'hot')}`,
});
// Without a hash a transaction of ours brought it after all.
const LOCK_UNBOOKED = statement({
  given: {
    chain: c.chain,
    finalHeight: c.blockHeight,
    limit: value<number>('bigint'),
    txid: nullable(c.txid),
  },
  selects: { ...COIN, blockHeight: notNull(c.blockHeight), blockHash: notNull(c.blockHash) },
  text: ({ chain, finalHeight, limit, txid }, select) => sql`
    select ${select} from ${c}
    where ${c.chain} = ${chain} and not ${c.booked} and ${c.blockHeight} <= ${finalHeight}
      and ${c.blockHash} is not null and (${txid} is null or ${c.txid} = ${txid})
    order by ${c.blockHeight}, ${c.txid}, ${c.vout} limit ${limit} for no key update`,
});
// The newest of its bookings names a block that the chain had.
const LOCK_BOOKED_IN_VAIN = statement({
  given: { chain: c.chain, limit: value<number>('bigint') },
  selects: { ...COIN, blockHeight: k.blockHeight, blockHash: k.blockHash },
  text: ({ chain, limit }, select) => sql`
    select ${select} from ${c}
    join lateral (
      select ${k.blockHeight}, ${k.blockHash} from ${k}
      where ${k.chain} = ${c.chain} and ${k.coin} = ${c.txid} || ':' || ${c.vout}
      order by ${k.at} desc, ${k.id} desc limit 1) ${k} on true
    where ${c.chain} = ${chain} and ${c.booked} and ${c.blockHeight} is null
    order by ${c.txid}, ${c.vout} limit ${limit} for no key update of ${c}`,
});
const MARK_BOOKED = statement({
  given: { ...OUTPOINT, booked: c.booked },
  text: ({ chain, txid, vout, booked }) => sql`
    update ${c} set ${set(c, { booked })}
    where ${c.chain} = ${chain} and ${c.txid} = ${txid} and ${c.vout} = ${vout}`,
});

const NOTED = { chain: c.chain, ...OUTPOINTS };
const isNoted = ({ chain, txids, vouts }: Record<keyof typeof NOTED, SQL>) => sql`
  ${c.chain} = ${chain} and (${c.txid}, ${c.vout}) in (select * from unnest(${txids}, ${vouts}))
  and ${c.blockHash} is not null`;
const LOCK_BOOKED = statement({
  given: NOTED,
  selects: { ...COIN, blockHeight: notNull(c.blockHeight), blockHash: notNull(c.blockHash) },
  text: (of, select) => sql`
    select ${select} from ${c} where ${isNoted(of)} and ${c.booked}
    order by ${c.txid}, ${c.vout} for no key update`,
});
const ADOPT = statement({
  given: NOTED,
  text: (of) => sql`
    update ${c} set ${set(c, { booked: sql<boolean>`false`, blockHash: sql<null>`null` })} where ${isNoted(of)}`,
});

export type UtxoFunding = Pick<
  UtxoRepository,
  | 'insertFunding'
  | 'insertChange'
  | 'isFunding'
  | 'unbookedUnits'
  | 'removeFunding'
  | 'lockUnbooked'
  | 'lockBookedInVain'
  | 'markBooked'
  | 'adopt'
>;

export function utxoFunding(on: Sql): UtxoFunding {
  return {
    async insertFunding(chain, coin, block) {
      const row = utxoToRow({ ...coin, key: { role: 'hot' } });
      await INSERT_IN_BLOCK(on, { chain, ...row, ...placeOf(block), booked: false });
    },

    async insertChange(chain, coin, block) {
      if (coin.key.role !== 'change') throw new Error('change comes to an address of ours for change');
      await INSERT_IN_BLOCK(on, { chain, ...utxoToRow(coin), ...placeOf(block), booked: false });
    },

    isFunding: async (chain, { txid, vout }) => (await IS_FUNDING(on, { chain, txid, vout })).length > 0,

    unbookedUnits: async (chain, height) =>
      theOnly(await UNBOOKED_UNITS(on, { chain, height }), `unbooked funding of ${chain}`).units,

    async removeFunding(chain, { txid, vout }) {
      await REMOVE_FUNDING(on, { chain, txid, vout });
    },

    lockUnbooked: async (chain, finalHeight, limit, txid) =>
      (await LOCK_UNBOOKED(on, { chain, finalHeight, limit, txid: txid ?? null })).map(withBlock),
    lockBookedInVain: async (chain, limit) =>
      (await LOCK_BOOKED_IN_VAIN(on, { chain, limit })).map(withBlock),

    async markBooked(chain, { txid, vout }, booked) {
      await MARK_BOOKED(on, { chain, txid, vout, booked });
    },

    async adopt(chain, utxos) {
      const of = { chain, ...outpointsOf(utxos) };
      const booked = await LOCK_BOOKED(on, of);
      await ADOPT(on, of);
      return booked.map(withBlock);
    },
  };
}

function placeOf({ height, hash }: Block) {
  return { blockHeight: height, blockHash: hash };
}

function withBlock(
  row: UtxoRow & { readonly blockHeight: number; readonly blockHash: string },
): Utxo & { readonly block: Block } {
  return { ...utxoFromRow(row), block: { height: row.blockHeight, hash: row.blockHash } };
}
