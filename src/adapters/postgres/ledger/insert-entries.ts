/**
 * Appends any number of ledger entries with a few statements: balances first, then the numbers of their feeds, each locked in
 * merchant order, so that two batches cannot wait for each other. As if each had been posted by itself, in this order.
 */
import type { NewEntry } from '../../../ports/repositories.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { TAKE_NUMBERS } from '../lists/numbering.ts';
import { ENTRY_COLUMNS, ENTRY_TYPES, entryToRow, postingRows } from './ledger-row.ts';
import { summaryChange } from './ledger-summary.ts';

const CHANGE = 'merchant_id text, sandbox boolean, income numeric, payouts numeric, refunds numeric';
const LOCK_BALANCES = `
  select b.merchant_id from balances b
  join json_to_recordset($1::json) as g (${CHANGE}) using (merchant_id, sandbox)
  order by b.merchant_id, b.sandbox for no key update of b`;
const ADD_TO_BALANCES = `
  update balances b set income_micro_usd = b.income_micro_usd + g.income,
    payouts_micro_usd = b.payouts_micro_usd + g.payouts, refunds_micro_usd = b.refunds_micro_usd + g.refunds
  from json_to_recordset($1::json) as g (${CHANGE})
  where b.merchant_id = g.merchant_id and b.sandbox = g.sandbox`;

const GIVEN = ENTRY_COLUMNS.map((column) => `${column} ${ENTRY_TYPES[column]}`).join(', ');
// What is in a feed has a number, and a time that does not run backwards along the numbers (numbering.ts).
const VALUES = ENTRY_COLUMNS.map((column) => {
  if (column === 'feed_seq')
    return 'case when g.feed_type is not null then c.value + row_number() over feed end';
  if (column === 'at')
    return 'case when g.feed_type is null then g.at else greatest(c.last_at, max(g.at) over feed) end';
  return `g.${column}`;
}).join(', ');
const INSERT = `
  with given as materialized (select * from json_to_recordset($1::json) as g (position integer, ${GIVEN})),
  wanted as materialized (
    select merchant_id, sandbox, 'ledger' as stream, count(*) as lines, max(at) as latest from given
    where feed_type is not null group by 1, 2),
  ${TAKE_NUMBERS},
  entry as (
    insert into ledger_entries (ordinal, ${ENTRY_COLUMNS.join(', ')})
    select coalesce((select max(e.ordinal) from ledger_entries e where e.reference_id = g.reference_id), 0)
        + row_number() over (partition by g.reference_id order by g.position), ${VALUES}
    from given g left join counter c
      on g.feed_type is not null and c.merchant_id = g.merchant_id and c.sandbox = g.sandbox
    window feed as (partition by g.merchant_id, g.sandbox, g.feed_type is not null order by g.position))
  insert into ledger_postings (entry_id, ordinal, account, currency, amount)
  select entry_id, ordinal, account, currency, amount from json_to_recordset($2::json)
    as p (entry_id text, ordinal smallint, account text, currency text, amount numeric)`;

/** Of entries that take back no other. */
export async function insertEntries(sql: Sql, entries: readonly NewEntry[]): Promise<void> {
  const changes = changesOf(entries);
  if (changes.length > 0) {
    const given = [JSON.stringify(changes)];
    if ((await sql.query(LOCK_BALANCES, given)).length !== changes.length)
      throw new Error('a merchant without a balance');
    await sql.query(ADD_TO_BALANCES, given);
  }
  const rows = entries.map((entry, position) => ({ position, ...entryToRow(entry, null) }));
  const postings = entries.flatMap((entry) => postingRows(entry));
  await sql.query(INSERT, [JSON.stringify(rows), JSON.stringify(postings)]);
}

interface BalanceChange {
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly income: string;
  readonly payouts: string;
  readonly refunds: string;
}

/** One for each balance that is moved. */
function changesOf(entries: readonly NewEntry[]): readonly BalanceChange[] {
  const moving = entries
    .map((entry) => ({ entry, ...summaryChange(entry) }))
    .filter(({ column, change }) => column !== null && change !== 0n);
  const byBalance = Map.groupBy(moving, ({ entry }) => `${entry.merchantId} ${entry.sandbox}`);
  return [...byBalance.values()].map((group) => {
    const { merchantId, sandbox } = theOnly(group.slice(0, 1), 'the first entry of a balance').entry;
    if (merchantId === null) throw new Error('a balance is of a merchant');
    const sum = (wanted: string) =>
      group
        .reduce((total, { column, change }) => (column === wanted ? total + change : total), 0n)
        .toString();
    return {
      merchant_id: merchantId,
      sandbox,
      income: sum('income'),
      payouts: sum('payouts'),
      refunds: sum('refunds'),
    };
  });
}
