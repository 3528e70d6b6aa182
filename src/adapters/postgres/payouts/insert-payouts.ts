/**
 * Writes any number of accepted payouts in one statement: the X-Uniq-Ids that they use, the payouts
 * with their merchants' dense numbers, the ledger entries that reserve their money, and the
 * balances. The caller holds the balances' locks.
 */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { type UniqIdClaim, uniqIdKey } from '../../../domain/payouts/payout-acceptance.ts';
import type { PayoutToWrite } from '../../../ports/payouts/payout-writer.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { ENTRY, entryToRow, POSTING, POSTINGS, postingRows } from '../ledger/ledger-row.ts';
import { summaryChange } from '../ledger/ledger-summary.ts';
import { COUNTER, TAKE_NUMBERS } from '../lists/numbering.ts';
import { literals } from '../schema/columns.ts';
import { ledgerEntries as e, ledgerPostings } from '../schema/ledger.ts';
import { balances as b, counters as c, type Stream } from '../schema/merchants.ts';
import { payouts as p, uniqIds as u } from '../schema/payouts.ts';
import { type RowOf, statement } from '../statement.ts';
import { at, columnsOf, insertSelect, like, names, records, set, toExcluded } from '../statement-parts.ts';
import { PAYOUT, payoutToRow } from './payout-row.ts';

/** `seq`, and its entry's `ordinal`, are the position among the given payouts. */
const GIVEN = { ...PAYOUT, seq: p.seq };
const G = columnsOf('given', GIVEN);
const ENTRY_GIVEN = { ...ENTRY, ordinal: e.ordinal };
const N = columnsOf('entry', ENTRY_GIVEN);
const USE = getTableColumns(u);
/** With the time of the request. */
const CLAIM = { ...USE, at: e.at };
const C = columnsOf('claim', CLAIM);
const SCOPE = names(b.merchantId, b.sandbox);
const ofStream = (stream: Stream): SQL =>
  sql`join counter using (${SCOPE}) where ${at('counter', c.stream)} = ${literals([stream])}`;
const NUMBER = sql<bigint>`${COUNTER.value} + row_number() over merchant`;

// The entry is the first of its payout.
const INSERT = statement({
  given: {
    payouts: records('given', GIVEN),
    entries: records('entry', ENTRY_GIVEN),
    postings: POSTINGS,
    claims: records('claim', CLAIM),
  },
  selects: {
    claimed: sql<number>`(select count(*)::int from claimed)`,
    written: sql<number>`(select count(*)::int from written)`,
    entered: sql<number>`(select count(*)::int from entered)`,
    /** Of the balances that changed. */
    least: like(b.incomeMicroUsd, sql`(select coalesce(min(available), 0) from reserved)`),
  },
  text: ({ payouts, entries, postings, claims }, select) => sql`
    with given as materialized (select * from ${payouts}),
    entry as materialized (select * from ${entries}),
    claim as materialized (select * from ${claims}),
    claimed as (
      ${insertSelect(u, columnsOf('claim', USE))} from claim
      on conflict (${names(u.merchantId, u.sandbox, u.uniqId)}) do update
        set ${toExcluded(u.expiresAt, u.orderId, u.batchId)}
        where ${u.expiresAt} <= (
          select ${C.at} from claim
          where ${C.merchantId} = ${u.merchantId} and ${C.sandbox} = ${u.sandbox} and ${C.uniqId} = ${u.uniqId})
      returning ${u.uniqId}),
    reserve as materialized (
      select ${SCOPE}, count(*) as lines, sum(${G.reservedMicroUsd}) as micro_usd, max(${G.createdAt}) as latest
      from given group by 1, 2),
    wanted as materialized (
      select ${SCOPE}, 'payouts' as ${names(c.stream)}, lines, latest from reserve
      union all select ${SCOPE}, 'ledger', count(*), max(${N.at}) from entry group by 1, 2),
    ${TAKE_NUMBERS},
    written as (
      ${insertSelect(p, {
        ...G,
        seq: NUMBER,
        createdAt: sql<Date>`greatest(${COUNTER.lastAt}, max(${G.createdAt}) over merchant)`,
      })}
      from given ${ofStream('payouts')}
      window merchant as (partition by ${G.merchantId}, ${G.sandbox} order by ${G.seq})
      returning ${p.id}),
    entered as (
      ${insertSelect(e, {
        ...N,
        ordinal: sql<number>`1`,
        feedSeq: NUMBER,
        at: sql<Date>`greatest(${COUNTER.lastAt}, max(${N.at}) over merchant)`,
      })}
      from entry ${ofStream('ledger')}
      window merchant as (partition by ${N.merchantId}, ${N.sandbox} order by ${N.ordinal})
      returning ${e.id}),
    posted as (${insertSelect(ledgerPostings, columnsOf('p', POSTING))} from ${postings}),
    reserved as (
      update ${b} set ${set(b, { payoutsMicroUsd: sql<bigint>`${b.payoutsMicroUsd} + reserve.micro_usd` })}
      from reserve where ${b.merchantId} = ${at('reserve', b.merchantId)} and ${b.sandbox} = ${at('reserve', b.sandbox)}
      returning ${b.incomeMicroUsd} - ${b.payoutsMicroUsd} - ${b.refundsMicroUsd} as available)
    select ${select}`,
});

/**
 * Among the claims of one X-Uniq-Id the last counts. Throws, to roll back the transaction, if a
 * claim or a balance fails.
 */
export async function insertPayouts(
  on: Sql,
  { claims, accepted }: { claims: readonly UniqIdClaim[]; accepted: readonly PayoutToWrite[] },
): Promise<void> {
  accepted.forEach(mustReserve);
  const claimed = [...new Map(claims.map((claim) => [uniqIdKey(claim), claim])).values()];
  const rows = await INSERT(on, {
    payouts: accepted.map(({ payout }, place) => ({ ...payoutToRow(payout), seq: BigInt(place) })),
    entries: accepted.map(({ entry }, place) => ({ ...entryToRow(entry, null), ordinal: place })),
    postings: accepted.flatMap(({ entry }) => postingRows(entry)),
    claims: claimed.map(claimRow),
  });
  const done = theOnly(rows, 'insert of payouts');
  if (done.claimed !== claimed.length)
    throw new Error('an X-Uniq-Id was taken although its balance is locked');
  if (done.written !== accepted.length || done.entered !== accepted.length)
    throw new Error('a payout is of an unknown merchant');
  if (done.least < 0n) throw new Error('a payout would take the balance below zero');
}

export function mustReserve({ payout, entry }: PayoutToWrite): void {
  const { column, change } = summaryChange(entry);
  const { merchantId, sandbox } = payout;
  const own = entry.merchantId === merchantId && entry.sandbox === sandbox && entry.referenceId === payout.id;
  if (!own || entry.feed === null || payout.kind !== 'payout' || column !== 'payouts')
    throw new Error(`entry ${entry.id} does not reserve payout ${payout.id}`);
  if (change !== payout.reservedMicroUsd)
    throw new Error(`payout ${payout.id} reserves ${payout.reservedMicroUsd}, its entry ${change}`);
}

function claimRow(claim: UniqIdClaim): RowOf<typeof CLAIM> {
  const { creates } = claim;
  return {
    merchantId: claim.merchantId,
    sandbox: claim.sandbox,
    uniqId: claim.uniqId,
    at: claim.at,
    expiresAt: claim.expiresAt,
    orderId: 'order_id' in creates ? creates.order_id : null,
    batchId: 'batch_id' in creates ? creates.batch_id : null,
  };
}
