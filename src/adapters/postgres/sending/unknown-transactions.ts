/**
 * Transactions of the hot wallets that this gateway does not know
 * (ports/chains/unknown-transactions.ts).
 */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { UnknownPayment } from '../../../ports/chains/chain-scanner.ts';
import type {
  NotedTransaction,
  UnknownTransactionRepository,
} from '../../../ports/chains/unknown-transactions.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { payouts as p } from '../schema/payouts.ts';
import { foundPaid as f, unknownTransactions as u } from '../schema/unknown-transactions.ts';
import { type RowOf, statement } from '../statement.ts';
import { at, insertInto, like, listOf, names, set, toExcluded, value } from '../statement-parts.ts';

const NOTED = getTableColumns(u);
type NotedRow = RowOf<typeof NOTED>;

const NOTE = statement({
  given: NOTED,
  selects: {
    isNew: sql<boolean>`(xmax = 0
      or (not ${u.harmless} and exists (select from known where ${at('known', u.harmless)})))`,
  },
  text: (values, select) => sql`
    with known as (
      select ${u.harmless} from ${u} where ${u.chain} = ${values.chain} and ${u.txid} = ${values.txid})
    ${insertInto(u, values)}
    on conflict (${names(u.chain, u.txid)}) do update set ${toExcluded(u.blockHeight, u.blockHash)}, ${set(
      u,
      {
        payments: like(
          u.payments,
          sql`case when ${u.harmless} then ${at('excluded', u.payments)} else ${u.payments} end`,
        ),
        harmless: like(u.harmless, sql`${u.harmless} and ${at('excluded', u.harmless)}`),
      },
    )}
    returning ${select}`,
});
const ORPHAN_ABOVE = statement({
  given: { chain: u.chain, height: u.blockHeight, kept: listOf(u.blockHash) },
  selects: { txid: u.txid },
  text: ({ chain, height, kept }, select) => sql`
    update ${u} set ${set(u, { blockHash: sql<null>`null` })}
    where ${u.chain} = ${chain} and ${u.blockHeight} > ${height} and ${u.blockHash} is not null
      and ${u.blockHash} <> all (${kept})
    returning ${select}`,
});
const NEWEST_BLOCK = statement({
  given: { chain: u.chain },
  selects: { height: like(u.blockHeight, sql`max(${u.blockHeight})`) as SQL<number | null> },
  text: ({ chain }, select) => sql`
    select ${select} from ${u} where ${u.chain} = ${chain} and ${u.blockHash} is not null`,
});
const LOCK = statement({
  given: { chain: u.chain, txid: u.txid },
  selects: NOTED,
  text: ({ chain, txid }, select) => sql`
    select ${select} from ${u} where ${u.chain} = ${chain} and ${u.txid} = ${txid} for no key update`,
});
const FOUND = statement({ given: getTableColumns(f), text: (values) => insertInto(f, values) });
const FOUND_FOR = statement({
  given: { chain: f.chain, txid: f.txid },
  selects: { asset: p.asset, address: p.address, sentUnits: p.sentUnits },
  text: ({ chain, txid }, select) => sql`
    select ${select} from ${f} join ${p} on ${p.id} = ${f.payoutId}
    where ${f.chain} = ${chain} and ${f.txid} = ${txid} order by ${p.id}`,
});
const COUNT = statement({
  given: { chain: u.chain, wallet: u.wallet, from: u.nonce, below: u.nonce },
  selects: { count: sql`count(distinct ${u.nonce})`.mapWith(BigInt) },
  text: ({ chain, wallet, from, below }, select) => sql`
    select ${select} from ${u}
    where ${u.chain} = ${chain} and ${u.wallet} = ${wallet} and ${u.nonce} >= ${from} and ${u.nonce} < ${below}`,
});
/** It paid more than the payouts that operators found for it. */
const PAYS_MORE = sql`
  not ${u.harmless} and greatest(json_array_length(${u.payments}::json), 1) > (
    select count(*) from ${f} where ${f.chain} = ${u.chain} and ${f.txid} = ${u.txid})`;
const PAID_SINCE = statement({
  given: { chain: u.chain, since: u.notedAt },
  text: ({ chain, since }) => sql`
    select from ${u} where ${u.chain} = ${chain} and ${u.notedAt} >= ${since} and ${PAYS_MORE} limit 1`,
});
const NEWEST = statement({
  given: { chains: listOf(u.chain), limit: value<number>('bigint') },
  selects: NOTED,
  text: ({ chains, limit }, select) => sql`
    select ${select} from ${u} where ${u.chain} = any (${chains}) and ${PAYS_MORE}
    order by ${u.minedAt} desc, ${u.chain}, ${u.nonce} desc, ${u.txid} limit ${limit}`,
});

export function unknownTransactionRepository(on: Sql): UnknownTransactionRepository {
  return {
    async note({ block, payments, ...noted }) {
      const row = {
        ...noted,
        payments: JSON.stringify(
          payments.map(({ units, ...rest }) => ({ ...rest, units: units.toString() })),
        ),
        blockHeight: block.height,
        blockHash: block.hash,
      };
      return theOnly(await NOTE(on, row), `note of ${noted.txid}`).isNew;
    },

    orphanAbove: async (chain, height, kept = []) =>
      (await ORPHAN_ABOVE(on, { chain, height, kept })).length > 0,

    paidSince: async (chain, since) => (await PAID_SINCE(on, { chain, since })).length > 0,

    newestBlock: async (chain) =>
      theOnly(await NEWEST_BLOCK(on, { chain }), `unknown transactions of ${chain}`).height,

    async lock(chain, txid) {
      const [row] = await LOCK(on, { chain, txid });
      return row ? notedFromRow(row) : null;
    },

    async found(payment) {
      await FOUND(on, payment);
    },

    foundFor: (chain, txid) => FOUND_FOR(on, { chain, txid }),

    countNonces: async (of) => theOnly(await COUNT(on, of), `noted nonces of ${of.wallet}`).count,
  };
}

/** The ones on these chains that paid more than the payouts that operators found for them. */
export async function newestUnknown(
  on: Sql,
  of: { readonly chains: readonly string[]; readonly limit: number },
): Promise<readonly NotedTransaction[]> {
  return (await NEWEST(on, of)).map(notedFromRow);
}

export function notedFromRow(row: NotedRow): NotedTransaction {
  const payments = JSON.parse(row.payments) as (Omit<UnknownPayment, 'units'> & { units: string })[];
  return {
    chain: row.chain,
    txid: row.txid,
    wallet: row.wallet,
    nonce: row.nonce,
    feeUnits: row.feeUnits,
    payments: payments.map((payment) => ({ ...payment, units: BigInt(payment.units) })),
    harmless: row.harmless,
    block: row.blockHash === null ? null : { height: row.blockHeight, hash: row.blockHash },
    minedAt: row.minedAt,
    notedAt: row.notedAt,
  };
}
