/**
 * The number of rows per block of a merchant's list, by status or type and by asset. Triggers of
 * drizzle/0000_initial.sql keep them, so totals and far pages cost nearly the same for any length
 * of the list. Writers add changes without waiting; a job folds the changes into the counts. A
 * total reads both in one snapshot, and so is always exact.
 */
import { type AnyColumn, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { ListCountRepository } from '../../../ports/repositories.ts';
import type { Sql } from '../client/sql.ts';
import { equals, literals } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { ledgerEntries as e } from '../schema/ledger.ts';
import { listCountChanges as g, listCounts as n } from '../schema/lists.ts';
import { payouts as p } from '../schema/payouts.ts';
import { names } from '../statement-parts.ts';
import { folding } from './folding.ts';
import { both, conditionOf, type DenseList, type Names, type Places, placeOf } from './list.ts';

/** Numbers per block: 1 to this many are block 0. The triggers use the same figure. */
export const BLOCK = 16_384;
/** The same within a statement. */
export const BLOCK_ROWS = sql.raw(String(BLOCK));

export interface CountedList<Found> extends DenseList<Found> {
  readonly stream: (typeof n.$inferSelect)['list'];
  /**
   * A condition whose column comes before the number in the index of the other filters. Its values
   * are `each`, and so `any`. Without a filter by it, the list is assembled from its values.
   */
  readonly spread?: { readonly name: string; readonly each: readonly SQL[]; readonly any: SQL };
}

/** Selects `block, rows` of the blocks that have rows with these values. */
export function rowsByBlock(list: CountedList<unknown>, counted: Names, places: Places): SQL {
  const of = (t: typeof n | typeof g) =>
    both(
      sql`${t.merchantId} = ${places.merchantId} and ${t.sandbox} = ${places.sandbox} and ${equals(t.list, list.stream)}`,
      ...counted.map((name) => sql`${t[columnOf(list, name)]} = ${placeOf(places, name)}`),
    );
  return sql`
    select ${names(n.block)}, sum(rows)::bigint as rows from (
      select ${n.block}, ${n.value} as rows from ${n} where ${of(n)}
      union all select ${g.block}, ${g.change} from ${g} where ${of(g)}) counted
    group by ${names(n.block)} having sum(rows) <> 0`;
}

function columnOf(list: CountedList<unknown>, name: string): 'label' | 'asset' {
  const { counted } = conditionOf(list, name);
  if (counted === undefined) throw new Error(`no rows are counted by ${name}`);
  return counted;
}

const { value: _, ...KEY } = getTableColumns(n);
const KEY_NAMES = names(...Object.values(KEY));

const fold = folding({
  ...{ sums: n, changes: g, key: Object.values(KEY) },
  adds: [{ sum: n.value, change: g.change }],
});

export function listCountRepository(on: Sql): ListCountRepository {
  return { fold: (limit) => fold(on, limit) };
}

const countedOf = (
  list: CountedList<unknown>['stream'],
  t: { readonly merchantId: AnyColumn; readonly sandbox: AnyColumn },
  { label, asset, number }: { readonly label: SQL; readonly asset: SQL; readonly number: AnyColumn },
) => sql`
  select ${t.merchantId}, ${t.sandbox}, ${literals([list])}, ${label}, ${asset}, (${number} - 1) / ${BLOCK_ROWS}, count(*)`;
const NONE = sql`''`;

/** For reconciliation: selects `reference, expected, found`. */
export const LIST_COUNT_CHECK = sql`
  with listed (${KEY_NAMES}, rows) as (
    ${countedOf('invoices', i, { label: sql`${i.status}`, asset: sql`coalesce(${i.asset}, '')`, number: i.seq })}
    from ${i} group by 1, 2, 3, 4, 5, 6
    union all
    ${countedOf('payouts', p, { label: NONE, asset: sql`${p.asset}`, number: p.seq })}
    from ${p} where ${p.seq} is not null group by 1, 2, 3, 4, 5, 6
    union all
    ${countedOf('ledger', e, { label: sql`${e.feedType}`, asset: NONE, number: e.feedSeq })}
    from ${e} where ${e.feedSeq} is not null group by 1, 2, 3, 4, 5, 6),
  counted as (
    select ${KEY_NAMES}, sum(rows)::bigint as rows from (
      select ${KEY_NAMES}, ${n.value} as rows from ${n}
      union all
      select ${KEY_NAMES}, ${g.change} from ${g}) c
    group by 1, 2, 3, 4, 5, 6)
  select concat_ws(' ', ${names(n.merchantId)}, case when ${names(n.sandbox)} then 'sandbox' else 'live' end,
      ${names(n.list, n.label, n.asset, n.block)}) as reference,
    coalesce(l.rows, 0)::text as expected, coalesce(c.rows, 0)::text as found
  from listed l full join counted c using (${KEY_NAMES})
  where coalesce(l.rows, 0) <> coalesce(c.rows, 0)`;
