/**
 * Pages of a merchant's lists with exact totals. A list that is numbered densely (numbering.ts) is paged by number: any
 * page, and the total, of the whole list or of a date range costs the same (performance.md, "Reading"). A filtered page
 * takes its keys from an index first, and then the rows; counted-pages.ts has those whose total is counted beside the list.
 */
import type { DateRange, Page, PageRequest, Scope } from '../../../ports/queries.ts';
import type { SqlParameter } from '../client/parameters.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import type { Stream } from '../schema/merchants.ts';

/** A list: rows `t` of a table within a scope. */
export interface List {
  readonly table: string;
  /** What is selected; may use the alias `t` and those of `joins`. No column may be called `total` or `row_key`. */
  readonly select: string;
  readonly joins?: string;
  /** Unique within the scope. */
  readonly key: string;
}

export interface DenseList extends List {
  readonly stream: Stream;
  /** The time column, which never runs backwards along `key`. */
  readonly time: string;
  /** Restricts to the rows that belong to the list, where the table has others; as its partial indexes do. */
  readonly only?: string;
}

/** Collects parameters; the scope is `$1` and `$2`. The statement's text depends on the shape of a request only. */
export class Parameters {
  readonly values: SqlParameter[];

  constructor(scope: Scope) {
    this.values = [scope.merchantId, scope.sandbox];
  }

  bind(value: SqlParameter): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

const LENGTH_OF_SPAN = 'greatest(span.last - span.first + 1, 0)';
const IN_SCOPE = 't.merchant_id = $1 and t.sandbox = $2';

/** The numbers of a date range, and how many there are: `select first, last, all` of one row; empty ranges have last < first. */
export function numberRange(parameters: Parameters, list: DenseList, range: DateRange): string {
  const where = allOf(list.only);
  const count = `(select c.value from counters c
    where c.merchant_id = $1 and c.sandbox = $2 and c.stream = '${list.stream}')`;
  const first =
    range.from === null
      ? '1'
      : `coalesce((select t.${list.key} from ${list.table} t where ${where} and t.${list.time} >= ${parameters.bind(range.from)}
          order by t.${list.time}, t.${list.key} limit 1), ${count} + 1, 1)`;
  const last =
    range.to === null
      ? `coalesce(${count}, 0)`
      : `coalesce((select t.${list.key} from ${list.table} t where ${where} and t.${list.time} <= ${parameters.bind(range.to)}
          order by t.${list.time} desc, t.${list.key} desc limit 1), 0)`;
  return `select (${first})::bigint as first, (${last})::bigint as last, coalesce(${count}, 0) as all`;
}

/** A page of the whole list, or of a date range, by dense number. */
export async function densePage<Row extends object>(
  sql: Sql,
  list: DenseList,
  request: { scope: Scope; range: DateRange; order: 'asc' | 'desc'; page: PageRequest },
): Promise<Page<Row>> {
  const parameters = new Parameters(request.scope);
  const range = numberRange(parameters, list, request.range);
  const offset = parameters.bind(offsetOf(request.page));
  const limit = parameters.bind(request.page.perPage);
  // Scalar subqueries, so that the bounds become index conditions and the order comes from the index.
  const bounds =
    request.order === 'desc'
      ? `t.${list.key} <= (select last from span) - ${offset}::bigint and t.${list.key} >= (select first from span)`
      : `t.${list.key} >= (select first from span) + ${offset}::bigint and t.${list.key} <= (select last from span)`;
  const text = `
    with span as materialized (${range}),
    page as materialized (
      select t.* from ${list.table} t
      where ${allOf(list.only, bounds)}
      order by t.${list.key} ${request.order} limit ${limit})
    select ${LENGTH_OF_SPAN} as total, t.${list.key} as row_key, ${list.select}
    from span left join page t on true ${list.joins ?? ''}
    order by t.${list.key} ${request.order}`;
  return pageOf(await sql.query<Row & Counted>(text, parameters.values));
}

/** A page of the rows that match `where`, in the order of `orderBy` (columns of `t`, ending in a unique one). */
export async function filteredPage<Row extends object>(
  sql: Sql,
  list: List,
  request: {
    scope: Scope;
    /** Builds the conditions besides the scope. */
    where: (parameters: Parameters) => readonly string[];
    orderBy: readonly string[];
    order: 'asc' | 'desc';
    page: PageRequest;
  },
): Promise<Page<Row>> {
  const parameters = new Parameters(request.scope);
  const where = allOf(...request.where(parameters));
  const orderBy = inOrder(request);
  const text = `
    with matching as materialized (select count(*) as total from ${list.table} t where ${where}),
    page as materialized (
      select t.${list.key} as row_key from ${list.table} t where ${where} order by ${orderBy}
      limit ${parameters.bind(request.page.perPage)} offset ${parameters.bind(offsetOf(request.page))})
    select matching.total, page.row_key, ${list.select}
    from matching left join page on true
    left join ${rowOfKey(list)} ${list.joins ?? ''}
    order by ${orderBy}`;
  return pageOf(await sql.query<Row & Counted>(text, parameters.values));
}

/** The rows of a page whose keys `keys` selects as `row_key`; there is at least one. */
export function rowsByKey(
  list: List,
  page: { keys: string; total: string; orderBy: readonly string[]; order: 'asc' | 'desc' },
): string {
  return `
    with page as materialized (${page.keys})
    select ${page.total}::bigint as total, page.row_key, ${list.select}
    from page join ${rowOfKey(list)} ${list.joins ?? ''}
    order by ${inOrder(page)}`;
}

/** Fetched one by one through `limit 1`: for a page of unknown length the planner might join the whole table. */
export function rowOfKey(list: List): string {
  return `lateral (select * from ${list.table} t where ${allOf(`t.${list.key} = page.row_key`)} limit 1) t on true`;
}

export function inOrder({ orderBy, order }: { orderBy: readonly string[]; order: 'asc' | 'desc' }): string {
  return orderBy.map((column) => `t.${column} ${order}`).join(', ');
}

export interface Counted {
  readonly total: string;
  /** Null in the one row that carries the total of an empty page. */
  readonly row_key: string | null;
}

export function pageOf<Row extends object>(rows: readonly (Row & Counted)[]): Page<Row> {
  const [first] = rows;
  if (first === undefined) throw new Error('a page came without its total');
  if (first.row_key === null) return { rows: [], total: Number(theOnly(rows, 'an empty page').total) };
  return { rows, total: Number(first.total) };
}

export function allOf(...conditions: readonly (string | undefined)[]): string {
  return [IN_SCOPE, ...conditions.filter((condition) => condition !== undefined)].join(' and ');
}

/** Page numbers go up to 2^53: as an integer of the database, never beyond its range. */
export function offsetOf({ page, perPage }: PageRequest): bigint {
  return BigInt(page - 1) * BigInt(perPage);
}
