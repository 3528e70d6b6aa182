/**
 * Pages of rows that one value finds by an index of its own: a reference, a transaction, an
 * address, the time of the last change. The found rows are read once, and the other filters, the
 * total and the order apply to them alone.
 */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { Sort } from '../../../ports/list-queries.ts';
import type { Sql } from '../client/sql.ts';
import { statement, statementsBy } from '../statement.ts';
import { names as namesOf } from '../statement-parts.ts';
import {
  allOf,
  both,
  conditionOf,
  type DenseList,
  findersIn,
  givenFor,
  holding,
  inOrder,
  type Names,
  namesIn,
  orderOf,
  type Places,
  valuesFor,
} from './list.ts';
import { CUT, cutOf, type ListRequest, type Pages, pageOf, ROW_KEY, rowOfKey, type Shape } from './pages.ts';

export interface SortedRequest extends ListRequest {
  readonly by: Sort['by'];
}

interface SortedShape extends Shape {
  readonly by: Sort['by'];
}

/** The first requested condition finds rows by its index; the others filter those. */
export function foundPages<Found>(list: DenseList<Found>): Pages<Sql, SortedRequest, Found> {
  const { table, key, joins } = list;
  const every = Object.keys(list.conditions);
  const shapes = findersIn(list, every).flatMap((finder): readonly SortedShape[] => [
    { names: [finder], by: 'created_at', order: 'desc' },
    { names: [finder, ...every.filter((name) => name !== finder)], by: 'amount', order: 'asc' },
  ]);
  const statementOf = statementsBy(shapes, ({ names, by, order }: SortedShape) => {
    const orderBy = orderOf(list, by);
    return statement({
      given: { ...givenFor(list, names), ...CUT },
      selects: { total: sql`total.rows`.mapWith(Number), rowKey: ROW_KEY, ...list.select },
      text: ({ limit, offset, ...places }, select) => sql`
        with matching as materialized (${matching(list, { names, orderBy }, places)}),
        page as materialized (
          select ${key} as row_key from matching ${table} order by ${inOrder(orderBy, order)}
          limit ${limit} offset ${offset})
        select ${select} from (select count(*) as rows from matching) total left join page on true
        left join ${rowOfKey(list, places)} ${joins}
        order by ${inOrder(orderBy, order)}`,
    });
  });
  return async (on, { scope, wanted, by, order, page }) => {
    const values = { ...valuesFor(scope, wanted), ...cutOf(page) };
    return pageOf(list, await statementOf({ names: namesIn(list, wanted), by, order })(on, values));
  };
}

/**
 * Selects the found rows. `offset 0` keeps the planner from another index than that of the first
 * condition.
 */
export function matching(
  list: DenseList<unknown>,
  { names, orderBy }: { readonly names: Names; readonly orderBy: readonly AnyColumn[] },
  places: Places,
): SQL {
  const looksAt = names.slice(1).flatMap((name) => conditionOf(list, name).columns);
  const columns = new Set([list.key, ...orderBy, ...looksAt]);
  const [finds, ...others] = holding(list, names, places);
  const where = allOf(list, places, ...(finds ? [finds] : []));
  const found = sql`select ${namesOf(...columns)} from ${list.table} where ${where}`;
  return others.length === 0
    ? found
    : sql`select * from (${found} offset 0) ${list.table} where ${both(...others)}`;
}
