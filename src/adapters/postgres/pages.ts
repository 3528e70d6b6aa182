/**
 * Pages of a merchant's lists with exact totals. A list that is numbered densely (numbering.ts) is paged by number: any
 * page, and the total, of the whole list or of a date range costs the same (performance.md, "Reading"). A filtered page
 * takes its keys from an index first, and then the rows.
 */
import type { DateRange, Page, PageRequest, Scope } from '../../ports/queries.ts';
import type { Sql } from './client.ts';
import type { Stream } from './numbering.ts';
import type { SqlParameter } from './parameters.ts';
import { theOnly } from './statements.ts';

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

/** The numbers of a date range: `select first, last` of one row; empty ranges have last < first. */
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
  return `select ${first} as first, ${last} as last`;
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
    /** Made with numberRange: `where` may then use `(select first from span)`, and `last`. */
    span?: (parameters: Parameters) => string;
    /** The total is the length of the span: nothing but the span restricts the list. */
    countsSpan?: boolean;
    orderBy: readonly string[];
    order: 'asc' | 'desc';
    page: PageRequest;
  },
): Promise<Page<Row>> {
  const parameters = new Parameters(request.scope);
  const span = request.span ? `span as materialized (${request.span(parameters)}),` : '';
  const where = allOf(...request.where(parameters));
  const total = request.countsSpan
    ? `select ${LENGTH_OF_SPAN} as total from span`
    : `select count(*) as total from ${list.table} t where ${where}`;
  // Rows are fetched one by one through `limit 1`: for a page of unknown length the planner might join the whole table.
  const orderBy = request.orderBy.map((column) => `t.${column} ${request.order}`).join(', ');
  const text = `
    with ${span} matching as materialized (${total}),
    page as materialized (
      select t.${list.key} as row_key from ${list.table} t where ${where} order by ${orderBy}
      limit ${parameters.bind(request.page.perPage)} offset ${parameters.bind(offsetOf(request.page))})
    select matching.total, page.row_key, ${list.select}
    from matching left join page on true
    left join lateral (select * from ${list.table} t where ${allOf(`t.${list.key} = page.row_key`)} limit 1) t on true
    ${list.joins ?? ''}
    order by ${orderBy}`;
  return pageOf(await sql.query<Row & Counted>(text, parameters.values));
}

interface Counted {
  readonly total: string;
  /** Null in the one row that carries the total of an empty page. */
  readonly row_key: string | null;
}

function pageOf<Row extends object>(rows: readonly (Row & Counted)[]): Page<Row> {
  const [first] = rows;
  if (first === undefined) throw new Error('a page came without its total');
  if (first.row_key === null) return { rows: [], total: Number(theOnly(rows, 'an empty page').total) };
  return { rows, total: Number(first.total) };
}

function allOf(...conditions: readonly (string | undefined)[]): string {
  return [IN_SCOPE, ...conditions.filter((condition) => condition !== undefined)].join(' and ');
}

/** Page numbers go up to 2^53: as an integer of the database, never beyond its range. */
function offsetOf({ page, perPage }: PageRequest): bigint {
  return BigInt(page - 1) * BigInt(perPage);
}
