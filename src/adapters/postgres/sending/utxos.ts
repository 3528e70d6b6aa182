/** UTXOs that the wallet's keys can spend, and the batches that claimed them. */
import { type SQL, sql } from 'drizzle-orm';
import type { UtxoRepository } from '../../../ports/sending/utxo-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { addresses as a, deposits as d } from '../schema/addresses.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { utxos as c, signedTransactions as t } from '../schema/outgoing.ts';
import { statement } from '../statement.ts';
import {
  at,
  insertInto,
  insertSelect,
  listOf,
  names,
  nullable,
  set,
  toExcluded,
  total,
  value,
} from '../statement-parts.ts';
import { isFrozen } from '../treasury/frozen-addresses.ts';
import { spentOutside } from './spent-outside.ts';
import { utxoFunding } from './utxo-funding.ts';
import { BEFORE_ALL, COIN, COIN_KEY, OUTPOINTS, outpointsOf, utxoFromRow, utxoToRow } from './utxo-row.ts';

const INSERT = statement({
  given: { chain: c.chain, ...COIN, booked: c.booked },
  text: (values) => sql`${insertInto(c, values)} on conflict (${COIN_KEY}) do nothing`,
});
// Only outputs of UTXO chains are named vout:<n>. The key is that of the address, which the
// wallet's deriver issued.
const OUTPUT_VOUT = sql<number>`substr(${d.output}, 6)::bigint`;
const INSERT_DEPOSITS = statement({
  given: { ids: listOf(d.id), family: a.family },
  text: ({ ids, family }) => sql`
    ${insertSelect(c, {
      chain: sql<string>`${d.chain}`,
      txid: sql<string>`${d.txid}`,
      vout: OUTPUT_VOUT,
      address: sql<string>`${d.address}`,
      keyRole: sql<'deposit'>`'deposit'`,
      keyIndex: sql<number>`${a.derivationIndex}`,
      units: sql<bigint>`${d.units}`,
      blockHeight: sql<number | null>`${d.blockHeight}`,
    })}
    from ${d} join ${a} on ${a.family} = ${family} and ${a.address} = ${d.address} and ${a.deriver} = ${a.family}
    where ${d.id} = any (${ids}) and ${d.output} like 'vout:%' and not ${d.encumbered} and not ${d.sandbox}
    on conflict (${COIN_KEY}) do update set ${toExcluded(c.blockHeight, c.units)}`,
});
const REMOVE_DEPOSIT = statement({
  given: { chain: c.chain, txid: c.txid, output: d.output },
  text: ({ chain, txid, output }) => sql`
    update ${c} set ${names(c.blockHeight)} = null
    where ${c.chain} = ${chain} and ${c.txid} = ${txid} and ${output} = 'vout:' || ${c.vout}`,
});
// Looked up one by one: of a block's thousands nearly none belong to the gateway.
const OURS = statement({
  given: { chain: c.chain, txids: listOf(c.txid), vouts: listOf(c.vout) },
  selects: { outpoint: sql<string>`o.txid || ':' || o.vout` },
  text: ({ chain, txids, vouts }, select) => sql`
    select ${select} from unnest(${txids}, ${vouts}) as o (txid, vout)
    cross join lateral (
      select ${c.address} from ${c}
      where ${c.chain} = ${chain} and ${c.txid} = o.txid and ${c.vout} = o.vout
      union all
      select ${d.address} from ${d}
      where ${d.chain} = ${chain} and ${d.txid} = o.txid and ${d.output} = 'vout:' || o.vout limit 1) paid
    where not ${isFrozen({ chain, address: at('paid', c.address) })}`,
});
// Only UTXOs from outside have a block hash. The change of own transactions depends on their
// transfers.
const ORPHAN_ARRIVALS = statement({
  given: { chain: c.chain, height: c.blockHeight, kept: listOf(c.blockHash) },
  text: ({ chain, height, kept }) => sql`
    update ${c} set ${names(c.blockHeight)} = null, ${names(c.blockHash)} = null
    where ${c.chain} = ${chain} and (${equals(c.keyRole, 'deposit')} or ${c.blockHash} is not null)
      and ${c.blockHeight} > ${height} and coalesce(${c.blockHash}, '') <> all (${kept})`,
});

// Excludes those of a replaced wallet, whose keys are gone.
const IS_OURS = sql`not ${isFrozen(c)}`;
const FINAL = { chain: c.chain, finalHeight: c.blockHeight };
const isFree = ({ chain, finalHeight }: Record<keyof typeof FINAL, SQL>) => sql`
  ${c.chain} = ${chain} and ${c.claimedBy} is null and not ${c.doubted} and ${c.blockHeight} <= ${finalHeight}
  and ${IS_OURS}`;
const FREE = statement({
  given: { ...FINAL, limit: value<number>('bigint') },
  selects: COIN,
  text: ({ limit, ...at }, select) => sql`
    select ${select} from ${c} where ${isFree(at)} order by ${c.units} desc, ${c.txid}, ${c.vout} limit ${limit}`,
});
const FREE_UNITS = statement({
  given: FINAL,
  selects: { units: total(c.units) },
  text: (at, select) => sql`select ${select} from ${c} where ${isFree(at)}`,
});

const CLAIM = statement({
  given: {
    chain: c.chain,
    claimedBy: nullable(c.claimedBy),
    ...OUTPOINTS,
    waiting: value<boolean>('boolean'),
  },
  selects: { vout: c.vout },
  text: ({ chain, claimedBy, txids, vouts, waiting }, select) => sql`
    update ${c} set ${set(c, { claimedBy })} from unnest(${txids}, ${vouts}) as wanted (txid, vout)
    where ${c.chain} = ${chain} and ${c.txid} = wanted.txid and ${c.vout} = wanted.vout
      and ${c.claimedBy} is null and case when ${c.blockHeight} is null
        then ${waiting} and not ${c.spentOutside} else not ${c.doubted} end
    returning ${select}`,
});
const CLAIMED = statement({
  given: { chain: c.chain, ...OUTPOINTS },
  text: ({ chain, txids, vouts }) => sql`
    select from ${c}
    where ${c.chain} = ${chain} and (${c.txid}, ${c.vout}) in (select * from unnest(${txids}, ${vouts}))
      and ${c.claimedBy} is not null limit 1`,
});
const RELEASE = statement({
  given: { transferBatchId: c.claimedBy, ...OUTPOINTS },
  text: ({ transferBatchId, txids, vouts }) => sql`
    update ${c} set ${names(c.claimedBy)} = null where ${c.claimedBy} = ${transferBatchId}
      and (${c.txid}, ${c.vout}) not in (select * from unnest(${txids}, ${vouts}))`,
});
const OF_BATCH = statement({
  given: { transferBatchId: c.claimedBy },
  selects: COIN,
  text: ({ transferBatchId }, select) => sql`
    select ${select} from ${c} where ${c.claimedBy} = ${transferBatchId} order by ${c.units} desc, ${c.txid}, ${c.vout}`,
});
const LOST_OF = statement({
  given: { transferBatchId: c.claimedBy },
  selects: COIN,
  text: ({ transferBatchId }, select) => sql`
    select ${select} from ${c} where ${c.claimedBy} = ${transferBatchId} and ${c.blockHeight} is null
    order by ${c.txid}, ${c.vout}`,
});
const NAMED = statement({
  given: { chain: c.chain, ...OUTPOINTS },
  selects: COIN,
  text: ({ chain, txids, vouts }, select) => sql`
    select ${select} from ${c}
    where ${c.chain} = ${chain} and (${c.txid}, ${c.vout}) in (select * from unnest(${txids}, ${vouts}))
    order by ${c.txid}, ${c.vout}`,
});
const DOUBT = statement({
  given: { chain: c.chain, ...OUTPOINTS, doubted: c.doubted },
  text: ({ chain, txids, vouts, doubted }) => sql`
    update ${c} set ${set(c, { doubted })} from unnest(${txids}, ${vouts}) as given (txid, vout)
    where ${c.chain} = ${chain} and ${c.txid} = given.txid and ${c.vout} = given.vout
      and not ${c.spentOutside}`,
});
const DOUBTED = statement({
  given: { chain: c.chain, limit: value<number>('bigint') },
  selects: COIN,
  text: ({ chain, limit }, select) => sql`
    select ${select} from ${c}
    where ${c.chain} = ${chain} and ${c.doubted} and not ${c.spentOutside} and ${c.blockHeight} is not null
      and ${IS_OURS}
    order by ${c.txid}, ${c.vout} limit ${limit}`,
});
const SETTLE = statement({
  given: { chain: c.chain, txid: c.txid, blockHeight: nullable(c.blockHeight) },
  text: ({ chain, txid, blockHeight }) => sql`
    update ${c} set ${set(c, { blockHeight })}
    where ${c.chain} = ${chain} and ${c.txid} = ${txid} and ${c.blockHeight} is distinct from ${blockHeight}`,
});

const PAGE = { chain: c.chain, txid: c.txid, vout: c.vout, limit: value<number>('bigint') };
const STANDING = statement({
  given: PAGE,
  selects: COIN,
  text: ({ chain, txid, vout, limit }, select) => sql`
    select ${select} from ${c}
    where ${c.chain} = ${chain} and ${c.blockHeight} is not null and (${c.txid}, ${c.vout}) > (${txid}, ${vout})
      and ${IS_OURS} and not ${c.spentOutside}
      and (${c.claimedBy} is null or not exists (select from ${t} where ${t.transferBatchId} = ${c.claimedBy}))
    order by ${c.txid}, ${c.vout} limit ${limit}`,
});
// The statuses match partial indexes: the history may be long.
const UNCREDITED = statement({
  given: PAGE,
  selects: { txid: c.txid, vout: c.vout },
  text: ({ chain, txid, vout, limit }, select) => sql`
    select ${select} from (
      select ${d.txid}, case when ${d.output} like 'vout:%' then ${OUTPUT_VOUT} end as ${names(c.vout)} from ${d}
      where ${d.chain} = ${chain} and ${d.blockHeight} is not null and not ${d.encumbered} and not ${d.sandbox}
        and not ${isFrozen(d)} and (${equals(d.status, 'confirming')} or ${equals(d.status, 'arrived')}
          or ${oneOf(d.status, ['held', 'stray'])})) ${c}
    where ${c.vout} is not null and (${c.txid}, ${c.vout}) > (${txid}, ${vout})
    order by ${c.txid}, ${c.vout} limit ${limit}`,
});

export function utxoRepository(on: Sql): UtxoRepository {
  return {
    ...utxoFunding(on),
    ...spentOutside(on),

    async insert(chain, utxos) {
      for (const utxo of utxos)
        await INSERT(on, { chain, ...utxoToRow(utxo), booked: utxo.key.role === 'hot' ? true : null });
    },

    async insertDeposits(deposits, family) {
      if (deposits.length > 0) await INSERT_DEPOSITS(on, { ids: deposits.map(({ id }) => id), family });
    },

    async removeDeposit(deposit) {
      await REMOVE_DEPOSIT(on, deposit);
    },

    async ours(chain, wanted) {
      if (wanted.length === 0) return new Set();
      const [txids, vouts] = [
        wanted.map((outpoint) => outpoint.split(':')[0]!),
        wanted.map((outpoint) => Number(outpoint.split(':')[1])),
      ];
      return new Set((await OURS(on, { chain, txids, vouts })).map(({ outpoint }) => outpoint));
    },

    async orphanAbove(chain, height, kept = []) {
      await ORPHAN_ARRIVALS(on, { chain, height, kept });
    },

    free: async (chain, finalHeight, limit) =>
      (await FREE(on, { chain, finalHeight, limit })).map(utxoFromRow),
    freeUnits: async (chain, finalHeight) =>
      theOnly(await FREE_UNITS(on, { chain, finalHeight }), `free coins of ${chain}`).units,

    async claim(chain, transferBatchId, utxos, { waiting = false } = {}) {
      const claimed = await CLAIM(on, { chain, claimedBy: transferBatchId, ...outpointsOf(utxos), waiting });
      if (claimed.length === utxos.length) return true;
      if (claimed.length > 0) await RELEASE(on, { transferBatchId, ...outpointsOf([]) });
      return false;
    },

    isClaimed: async (chain, utxos) => (await CLAIMED(on, { chain, ...outpointsOf(utxos) })).length > 0,
    ofBatch: async (transferBatchId) => (await OF_BATCH(on, { transferBatchId })).map(utxoFromRow),
    named: async (chain, utxos) => (await NAMED(on, { chain, ...outpointsOf(utxos) })).map(utxoFromRow),
    lostOf: async (transferBatchId) => (await LOST_OF(on, { transferBatchId })).map(utxoFromRow),

    async doubt(chain, utxos, doubted) {
      await DOUBT(on, { chain, ...outpointsOf(utxos), doubted });
    },

    doubted: async (chain, limit) => (await DOUBTED(on, { chain, limit })).map(utxoFromRow),

    async release(transferBatchId, spent = []) {
      await RELEASE(on, { transferBatchId, ...outpointsOf(spent) });
    },

    async settle(chain, txid, height) {
      await SETTLE(on, { chain, txid, blockHeight: height });
    },

    standing: async (chain, { after, limit }) =>
      (await STANDING(on, { chain, ...(after ?? BEFORE_ALL), limit })).map(utxoFromRow),
    uncredited: (chain, { after, limit }) => UNCREDITED(on, { chain, ...(after ?? BEFORE_ALL), limit }),
  };
}
