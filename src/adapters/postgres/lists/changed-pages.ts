/**
 * Pages of the rows that were changed since a time, in the order of creation. They are counted along the index of the last
 * change, which holds all that is asked. What was changed lately is mostly what was created lately, so the page is met soon on a
 * walk along the list; where it is not, what was changed is sorted.
 */
import type { Page, PageRequest, Scope } from '../../../ports/queries.ts';
import type { Database } from '../client/client.ts';
import { theOnly } from '../client/statements.ts';
import { type Condition, foundPage, matching } from './found-pages.ts';
import { allOf, type Counted, type DenseList, offsetOf, Parameters, pageOf, rowsByKey } from './pages.ts';

export interface ChangedRequest {
  readonly scope: Scope;
  /** The first one is about the last change. */
  readonly conditions: readonly [Condition, ...Condition[]];
  readonly order: 'asc' | 'desc';
  readonly page: PageRequest;
}

/** A walk that meets its page within so many steps for each changed row costs less than sorting them. */
const STEPS_PER_SORTED_ROW = 2;

export function changedPage<Row extends object>(
  database: Pick<Database, 'snapshot'>,
  list: DenseList,
  request: ChangedRequest,
): Promise<Page<Row>> {
  const { scope, order, page } = request;
  const found = { ...request, orderBy: [list.key] };
  return database.snapshot(async (sql) => {
    const counting = new Parameters(scope);
    const count = `select count(*) as total from (${matching(list, found, counting)}) t`;
    const total = Number(
      theOnly(await sql.query<{ total: string }>(count, counting.values), 'a total').total,
    );
    const left = total - Number(offsetOf(page));
    if (left <= 0) return { rows: [], total };
    const parameters = new Parameters(scope);
    const keys = keysOnTheWay(list, request, parameters, total * STEPS_PER_SORTED_ROW);
    const text = rowsByKey(list, { keys, total: parameters.bind(total), orderBy: found.orderBy, order });
    const met = await sql.query<Row & Counted>(text, parameters.values);
    if (met.length === Math.min(left, page.perPage)) return pageOf(met);
    return await foundPage<Row>(sql, list, found);
  });
}

/** Of so many rows from the beginning of the list, those of the page. */
function keysOnTheWay(
  list: DenseList,
  { conditions, order, page }: ChangedRequest,
  parameters: Parameters,
  steps: number,
): string {
  const columns = [...new Set([list.key, ...conditions.flatMap((condition) => condition.columns)])];
  return `
    select t.${list.key} as row_key from (
      select ${columns.map((column) => `t.${column}`).join(', ')} from ${list.table} t
      where ${allOf(list.only)} order by t.${list.key} ${order} limit ${parameters.bind(steps)}) t
    where ${conditions.map(({ holds }) => holds(parameters)).join(' and ')}
    order by t.${list.key} ${order} limit ${parameters.bind(page.perPage)} offset ${parameters.bind(offsetOf(page))}`;
}
