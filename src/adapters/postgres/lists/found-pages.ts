/**
 * Pages of rows that one value finds by an index of its own: a reference, a transaction, an address, the time of the last
 * change. What it finds is read once, and the other filters, the total and the order are about that alone.
 */
import type { Page, PageRequest, Scope } from '../../../ports/queries.ts';
import type { Sql } from '../client/sql.ts';
import {
  allOf,
  type Counted,
  type DenseList,
  inOrder,
  offsetOf,
  Parameters,
  pageOf,
  rowOfKey,
} from './pages.ts';

/** A condition about a row `t`, and the columns that it looks at. */
export interface Condition {
  readonly columns: readonly string[];
  readonly holds: (parameters: Parameters) => string;
  /** It may leave a great part of the list (changed-pages.ts). */
  readonly findsMany?: true;
}

export interface FoundRequest {
  readonly scope: Scope;
  /** The first one finds, by its index; the others look at what it finds. */
  readonly conditions: readonly [Condition, ...Condition[]];
  /** Columns of the order, ending in a unique one. */
  readonly orderBy: readonly string[];
  readonly order: 'asc' | 'desc';
  readonly page: PageRequest;
}

export async function foundPage<Row extends object>(
  sql: Sql,
  list: DenseList,
  request: FoundRequest,
): Promise<Page<Row>> {
  const parameters = new Parameters(request.scope);
  const { page } = request;
  const text = `
    with matching as materialized (${matching(list, request, parameters)}),
    page as materialized (
      select t.${list.key} as row_key from matching t order by ${inOrder(request)}
      limit ${parameters.bind(page.perPage)} offset ${parameters.bind(offsetOf(page))})
    select total.rows as total, page.row_key, ${list.select}
    from (select count(*) as rows from matching) total left join page on true
    left join ${rowOfKey(list)} ${list.joins ?? ''}
    order by ${inOrder(request)}`;
  return pageOf(await sql.query<Row & Counted>(text, parameters.values));
}

/** Selects the rows that are found. The fence of `offset 0` keeps the planner from another index than that of the first condition. */
export function matching(
  list: DenseList,
  { conditions, orderBy }: Pick<FoundRequest, 'conditions' | 'orderBy'>,
  parameters: Parameters,
): string {
  const [finds, ...others] = conditions;
  const columns = [...new Set([list.key, ...orderBy, ...others.flatMap((other) => other.columns)])];
  const found = `
    select ${columns.map((column) => `t.${column}`).join(', ')} from ${list.table} t
    where ${allOf(list.only, finds.holds(parameters))}`;
  if (others.length === 0) return found;
  return `select t.* from (${found} offset 0) t where ${others.map((other) => other.holds(parameters)).join(' and ')}`;
}
