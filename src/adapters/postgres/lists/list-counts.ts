/**
 * How many rows of each block of a merchant's list have which status or type, and which asset: kept by triggers (migration
 * "list_counts"), so that totals and far pages cost nearly the same however long the list is. Whoever writes adds changes
 * and waits for nobody; a job folds them into the counts. A total is both, in one snapshot, and so exact at any moment.
 */
import type { ListCountRepository } from '../../../ports/repositories.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import type { DenseList, Parameters } from './pages.ts';

/** Numbers of a block: 1 to this many are block 0. The triggers know it, too. */
export const BLOCK = 16_384;

/** Selects `block, rows` of the blocks that have rows with these values. */
export function rowsByBlock(
  list: CountedList,
  equals: Readonly<Record<string, string>>,
  parameters: Parameters,
): string {
  const conditions = Object.entries(equals).map(
    ([column, value]) => `${list.counted[column]} = ${parameters.bind(value)}`,
  );
  const where = ['merchant_id = $1', 'sandbox = $2', `list = '${list.stream}'`, ...conditions].join(' and ');
  return `
    select block, sum(rows)::bigint as rows from (
      select block, value as rows from list_counts where ${where}
      union all select block, change from list_count_changes where ${where}) counted
    group by block having sum(rows) <> 0`;
}

// Several workers may fold at once: each takes other changes, and all take the counts in one order.
const FOLD = `
  with taken as (
    delete from list_count_changes where ctid = any (array(
      select ctid from list_count_changes limit $1 for update skip locked))
    returning merchant_id, sandbox, list, label, asset, block, change),
  folded as (
    insert into list_counts as c (merchant_id, sandbox, list, label, asset, block, value)
    select merchant_id, sandbox, list, label, asset, block, sum(change) from taken
    group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
    on conflict (merchant_id, sandbox, list, label, asset, block) do update set value = c.value + excluded.value)
  select count(*)::int as taken from taken`;

export function listCountRepository(sql: Sql): ListCountRepository {
  return {
    async fold(limit) {
      return theOnly(await sql.query<{ taken: number }>(FOLD, [limit]), 'folding of counts').taken;
    },
  };
}

const block = (key: string): string => `(${key} - 1) / ${BLOCK}`;

/** Of reconciliation: selects `reference, expected, found`. */
export const LIST_COUNT_CHECK = `
  with listed as (
    select merchant_id, sandbox, 'invoices' as list, status as label, coalesce(asset, '') as asset, ${block('seq')} as block,
      count(*) as rows
    from invoices group by 1, 2, 3, 4, 5, 6
    union all
    select merchant_id, sandbox, 'payouts', '', asset, ${block('seq')}, count(*) from payouts
    where seq is not null group by 1, 2, 3, 4, 5, 6
    union all
    select merchant_id, sandbox, 'ledger', feed_type, '', ${block('feed_seq')}, count(*) from ledger_entries
    where feed_seq is not null group by 1, 2, 3, 4, 5, 6),
  counted as (
    select merchant_id, sandbox, list, label, asset, block, sum(rows)::bigint as rows from (
      select merchant_id, sandbox, list, label, asset, block, value as rows from list_counts
      union all
      select merchant_id, sandbox, list, label, asset, block, change from list_count_changes) c
    group by 1, 2, 3, 4, 5, 6)
  select concat_ws(' ', merchant_id, case when sandbox then 'sandbox' else 'live' end, list, label, asset, block) as reference,
    coalesce(l.rows, 0)::text as expected, coalesce(c.rows, 0)::text as found
  from listed l full join counted c using (merchant_id, sandbox, list, label, asset, block)
  where coalesce(l.rows, 0) <> coalesce(c.rows, 0)`;
export interface CountedList extends DenseList {
  /** The columns that may be filtered by, and where list_counts has them. */
  readonly counted: Readonly<Record<string, 'label' | 'asset'>>;
  /**
   * A column whose values, all of which are named, stand in the index of the other filters before the number: without a filter
   * by it, the list is put together from its values.
   */
  readonly spread?: { readonly column: string; readonly values: readonly string[] };
}
