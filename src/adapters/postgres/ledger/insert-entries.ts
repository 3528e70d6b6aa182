/**
 * Appends any number of ledger entries with a few statements: balances first, then the counters of
 * their feeds, each locked in merchant order, so that two batches cannot wait for each other. The
 * result is the same as posting each separately, in this order.
 */
import { sql } from 'drizzle-orm';
import type { NewEntry } from '../../../ports/ledger-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { COUNTER, TAKE_NUMBERS } from '../lists/numbering.ts';
import { ledgerEntries as e, ledgerPostings } from '../schema/ledger.ts';
import { balances as b, counters as c } from '../schema/merchants.ts';
import { type RowOf, statement } from '../statement.ts';
import { at, columnsOf, insertSelect, names, records, set } from '../statement-parts.ts';
import { BALANCE, ENTRY, entryToRow, POSTING, POSTINGS, postingRows } from './ledger-row.ts';
import { type SummaryColumn, summaryChange } from './ledger-summary.ts';

/** The change of a balance, in its columns. */
const CHANGE = { merchantId: b.merchantId, sandbox: b.sandbox, ...BALANCE };
const BY = columnsOf('g', CHANGE);
const LOCK_BALANCES = statement({
  given: { changes: records('g', CHANGE) },
  selects: { merchantId: b.merchantId },
  text: ({ changes }, select) => sql`
    select ${select} from ${b} join ${changes} using (${names(b.merchantId, b.sandbox)})
    order by ${b.merchantId}, ${b.sandbox} for no key update of ${b}`,
});
const ADD_TO_BALANCES = statement({
  given: { changes: records('g', CHANGE) },
  text: ({ changes }) => sql`
    update ${b} set ${set(b, {
      incomeMicroUsd: sql<bigint>`${b.incomeMicroUsd} + ${BY.incomeMicroUsd}`,
      payoutsMicroUsd: sql<bigint>`${b.payoutsMicroUsd} + ${BY.payoutsMicroUsd}`,
      refundsMicroUsd: sql<bigint>`${b.refundsMicroUsd} + ${BY.refundsMicroUsd}`,
    })}
    from ${changes} where ${b.merchantId} = ${BY.merchantId} and ${b.sandbox} = ${BY.sandbox}`,
});

/** `ordinal` is the position among the given entries. */
const GIVEN = { ...ENTRY, ordinal: e.ordinal };
const G = columnsOf('given', GIVEN);
// Entries of a feed have a number, and a time that never decreases along the numbers
// (numbering.ts).
const INSERT = statement({
  given: { entries: records('g', GIVEN), postings: POSTINGS },
  text: ({ entries, postings }) => sql`
    with given as materialized (select * from ${entries}),
    wanted as materialized (
      select ${names(e.merchantId, e.sandbox)}, 'ledger' as ${names(c.stream)}, count(*) as lines, max(${G.at}) as latest
      from given where ${G.feedType} is not null group by 1, 2),
    ${TAKE_NUMBERS},
    entry as (
      ${insertSelect(e, {
        ...G,
        ordinal: sql<number>`
          coalesce((select max(${e.ordinal}) from ${e} where ${e.referenceId} = ${G.referenceId}), 0)
            + row_number() over (partition by ${G.referenceId} order by ${G.ordinal})`,
        feedSeq: sql<bigint | null>`
          case when ${G.feedType} is not null then ${COUNTER.value} + row_number() over feed end`,
        at: sql<Date>`case when ${G.feedType} is null then ${G.at}
          else greatest(${COUNTER.lastAt}, max(${G.at}) over feed) end`,
      })}
      from given left join counter on ${G.feedType} is not null
        and ${at('counter', c.merchantId)} = ${G.merchantId} and ${at('counter', c.sandbox)} = ${G.sandbox}
      window feed as (
        partition by ${G.merchantId}, ${G.sandbox}, ${G.feedType} is not null order by ${G.ordinal}))
    ${insertSelect(ledgerPostings, columnsOf('p', POSTING))} from ${postings}`,
});

/** Only for entries that reverse no other. */
export async function insertEntries(on: Sql, entries: readonly NewEntry[]): Promise<void> {
  const changes = changesOf(entries);
  if (changes.length > 0) {
    if ((await LOCK_BALANCES(on, { changes })).length !== changes.length)
      throw new Error('a merchant without a balance');
    await ADD_TO_BALANCES(on, { changes });
  }
  await INSERT(on, {
    entries: entries.map((entry, ordinal) => ({ ...entryToRow(entry, null), ordinal })),
    postings: entries.flatMap(postingRows),
  });
}

/** One for each balance that changes. */
function changesOf(entries: readonly NewEntry[]): readonly RowOf<typeof CHANGE>[] {
  const moving = entries
    .map((entry) => ({ entry, ...summaryChange(entry) }))
    .filter(({ column, change }) => column !== null && change !== 0n);
  const byBalance = Map.groupBy(moving, ({ entry }) => `${entry.merchantId} ${entry.sandbox}`);
  return [...byBalance.values()].map((group) => {
    const { merchantId, sandbox } = theOnly(group.slice(0, 1), 'the first entry of a balance').entry;
    if (merchantId === null) throw new Error('a balance is of a merchant');
    const sum = (wanted: SummaryColumn) =>
      group.reduce((total, { column, change }) => (column === wanted ? total + change : total), 0n);
    return {
      merchantId,
      sandbox,
      incomeMicroUsd: sum('income'),
      payoutsMicroUsd: sum('payouts'),
      refundsMicroUsd: sum('refunds'),
    };
  });
}
