/**
 * A merchant's whole list, however long, in constant memory: a short read of some hundred rows after the other, by dense
 * number. What is
 * created after the first read has a higher number and does not appear; so nothing comes twice, and nothing is left out.
 */
import type { DateRange, Scope } from '../../../ports/queries.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import type { Condition } from './found-pages.ts';
import { allOf, type DenseList, numberRange, Parameters } from './pages.ts';

/** Rows of a read: some milliseconds for the database, and then for whoever writes them down. */
const ROWS = 250;
/** Numbers of a read where few of them match. */
const WIDEST = 16_384;

export interface WholeRequest {
  readonly scope: Scope;
  readonly range: DateRange;
  readonly conditions: readonly Condition[];
  readonly order: 'asc' | 'desc';
}

/** `read` makes each read, in its turn. */
export async function* wholeList<Row extends object>(
  list: DenseList,
  request: WholeRequest,
  read: <Made>(make: (sql: Sql) => Promise<Made>) => Promise<Made>,
): AsyncGenerator<readonly Row[], void> {
  const ascending = request.order === 'asc';
  let { first, last } = await read((sql) => span(sql, list, request));
  for (let width = ROWS; first <= last; ) {
    const from = ascending ? first : Math.max(first, last - width + 1);
    const to = ascending ? Math.min(last, first + width - 1) : last;
    const rows = await read((sql) => rowsIn<Row & Keyed>(sql, list, request, { from, to }));
    const furthest = rows.length === ROWS ? Number(rows.at(-1)?.row_key) : ascending ? to : from;
    if (ascending) first = furthest + 1;
    else last = furthest - 1;
    width = 2 * rows.length < ROWS ? Math.min(2 * width, WIDEST) : ROWS;
    if (rows.length > 0) yield rows;
  }
}

interface Keyed {
  readonly row_key: string;
}

async function span(
  sql: Sql,
  list: DenseList,
  { scope, range }: WholeRequest,
): Promise<{ first: number; last: number }> {
  const parameters = new Parameters(scope);
  const text = numberRange(parameters, list, range);
  const row = theOnly(await sql.query<{ first: string; last: string }>(text, parameters.values), 'a range');
  return { first: Number(row.first), last: Number(row.last) };
}

function rowsIn<Row extends object>(
  sql: Sql,
  list: DenseList,
  { scope, conditions, order }: WholeRequest,
  { from, to }: { from: number; to: number },
): Promise<readonly Row[]> {
  const parameters = new Parameters(scope);
  const between = `t.${list.key} between ${parameters.bind(from)} and ${parameters.bind(to)}`;
  const matches = conditions.map((condition) => condition.holds(parameters));
  const text = `
    select t.${list.key} as row_key, ${list.select} from ${list.table} t ${list.joins ?? ''}
    where ${allOf(list.only, between, ...matches)} order by t.${list.key} ${order} limit ${ROWS}`;
  return sql.query<Row>(text, parameters.values);
}
