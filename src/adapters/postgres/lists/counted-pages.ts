/**
 * Pages of a list that is filtered by what is counted beside it (list-counts.ts), by a date range, or sorted by amount. The total
 * comes first, from the counts; with it, and with the range as plain numbers, the shortest way to the page is known. Two
 * statements in one snapshot.
 */
import type { DateRange, Page, PageRequest, Scope } from '../../../ports/queries.ts';
import type { Database } from '../client/client.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { BLOCK, type CountedList, rowsByBlock } from './list-counts.ts';
import {
  allOf,
  type Counted,
  inOrder,
  numberRange,
  offsetOf,
  Parameters,
  pageOf,
  rowsByKey,
} from './pages.ts';

export interface CountedRequest {
  readonly scope: Scope;
  readonly range: DateRange;
  /** Column -> wanted value, of the counted ones. */
  readonly equals: Readonly<Record<string, string>>;
  /** The columns of the order, ending in a unique one: the list's key alone, or an amount and the id. */
  readonly orderBy: readonly string[];
  readonly order: 'asc' | 'desc';
  readonly page: PageRequest;
}

/** Numbers one after the other, and how many of their rows match. */
interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

/** What is known before the page is looked for: the stretches that have matches, in order. */
interface Found {
  /** Rows of the list, whatever the filter and the range. */
  readonly all: number;
  readonly stretches: readonly Stretch[];
}

export async function countedPage<Row extends object>(
  database: Pick<Database, 'snapshot'>,
  list: CountedList,
  request: CountedRequest,
): Promise<Page<Row>> {
  return database.snapshot(async (sql) => {
    const found = await find(sql, list, request);
    const total = found.stretches.reduce((sum, { rows }) => sum + rows, 0);
    if (Number(offsetOf(request.page)) >= total) return { rows: [], total };
    const parameters = new Parameters(request.scope);
    const keys =
      request.orderBy[0] === list.key
        ? keysByNumber(list, request, found.stretches, parameters)
        : keysByAmount(list, request, { ...found, total }, parameters);
    const text = rowsByKey(list, { keys, total: parameters.bind(total), ...request });
    return pageOf(await sql.query<Row & Counted>(text, parameters.values));
  });
}

interface FoundRow {
  readonly first: string;
  readonly last: string;
  readonly all: string;
  readonly low: string;
  readonly high: string;
  readonly below: string;
  readonly above: string;
  readonly blocks: readonly string[] | null;
  readonly rows: readonly string[] | null;
}

async function find(sql: Sql, list: CountedList, { scope, range, equals }: CountedRequest): Promise<Found> {
  const parameters = new Parameters(scope);
  const span = numberRange(parameters, list, range);
  if (Object.keys(equals).length === 0) {
    const [row] = await sql.query<Pick<FoundRow, 'first' | 'last' | 'all'>>(span, parameters.values);
    const [first, last] = [Number(row?.first), Number(row?.last)];
    return { all: Number(row?.all), stretches: [{ first, last, rows: Math.max(0, last - first + 1) }] };
  }
  const blocks = rowsByBlock(list, equals, parameters);
  const matches = matching(list, equals, parameters);
  const rowsBetween = (first: string, last: string) =>
    `(select count(*) from ${list.table} t where ${allOf(list.only, ...matches, `t.${list.key} between ${first} and ${last}`)})`;
  // Whole blocks are counted, and what the range has of the blocks at its ends is looked at: from `low` to `high` they are whole.
  // The list's last block is whole as far as it goes.
  const text = `
    with span as materialized (${span}),
    whole as materialized (
      select s.*, (s.first + ${BLOCK - 2}) / ${BLOCK} as low,
        case when s.last >= s.all then (s.last + ${BLOCK - 1}) / ${BLOCK} - 1 else s.last / ${BLOCK} - 1 end as high
      from span s),
    block as materialized (
      select b.* from whole cross join (${blocks}) b where b.block between whole.low and whole.high)
    select w.first, w.last, w.all, w.low, w.high,
      case when w.high >= w.low then ${rowsBetween('w.first', `w.low * ${BLOCK}`)} else 0 end as below,
      case when w.high >= w.low then ${rowsBetween(`(w.high + 1) * ${BLOCK} + 1`, 'w.last')}
        else ${rowsBetween('w.first', 'w.last')} end as above,
      (select array_agg(block order by block) from block) as blocks,
      (select array_agg(rows order by block) from block) as rows
    from whole w`;
  return foundFrom(theOnly(await sql.query<FoundRow>(text, parameters.values), 'the total of a list'));
}

function foundFrom(row: FoundRow): Found {
  const [first, last, low, high] = [Number(row.first), Number(row.last), Number(row.low), Number(row.high)];
  const whole = (row.blocks ?? []).map((block, place) => ({
    first: Number(block) * BLOCK + 1,
    last: (Number(block) + 1) * BLOCK,
    rows: Number(row.rows?.[place]),
  }));
  const hasWhole = high >= low;
  return {
    all: Number(row.all),
    stretches: [
      { first, last: low * BLOCK, rows: Number(row.below) },
      ...whole,
      { first: hasWhole ? (high + 1) * BLOCK + 1 : first, last, rows: Number(row.above) },
    ].filter(({ rows }) => rows > 0),
  };
}

/** Begins at the stretch that the page begins in: what lies before it is not read. */
function keysByNumber(
  list: CountedList,
  { equals, order, page }: CountedRequest,
  stretches: readonly Stretch[],
  parameters: Parameters,
): string {
  let skip = Number(offsetOf(page));
  const ahead = order === 'asc' ? [...stretches] : stretches.toReversed();
  while (skip >= (ahead[0]?.rows ?? 0)) skip -= ahead.shift()?.rows ?? 0;
  const bounds = [
    parameters.bind(Math.min(...ahead.map(({ first }) => first))),
    parameters.bind(Math.max(...ahead.map(({ last }) => last))),
  ];
  const [limit, offset] = [parameters.bind(page.perPage), parameters.bind(skip)];
  const between = `t.${list.key} between ${bounds[0]}::bigint and ${bounds[1]}::bigint`;
  const select = (values: Readonly<Record<string, string>>) => `
    select t.${list.key} as row_key from ${list.table} t
    where ${allOf(list.only, ...equalTo(values, parameters), between)} order by t.${list.key} ${order}`;
  const { spread } = list;
  if (spread === undefined || spread.column in equals)
    return `${select(equals)} limit ${limit} offset ${offset}`;
  const parts = spread.values.map(
    (value) =>
      `(${select({ ...equals, [spread.column]: value })} limit ${limit}::bigint + ${offset}::bigint)`,
  );
  return `${parts.join(' union all ')} order by row_key ${order} limit ${limit} offset ${offset}`;
}

/** What sorting costs beside a step along an index: fetching the row, and comparing it. */
const SORTED_ROW_COSTS = 4;

/** Few matches are sorted; many are met soon on a walk along the amounts. */
function keysByAmount(
  list: CountedList,
  request: CountedRequest,
  { all, total, stretches }: Found & { total: number },
  parameters: Parameters,
): string {
  const { equals, orderBy, page } = request;
  const steps = ((Number(offsetOf(page)) + page.perPage) * all) / total;
  const [first, last] = [
    parameters.bind(stretches[0]?.first ?? 0),
    parameters.bind(stretches.at(-1)?.last ?? 0),
  ];
  const select = (key: string, conditions: readonly string[]) => `
    select ${orderBy.map((column) => `t.${column}`).join(', ')}, t.${list.key} as row_key from ${list.table} t
    where ${allOf(list.only, ...conditions, `${key} between ${first}::bigint and ${last}::bigint`)}`;
  const cut = `order by ${inOrder(request)} limit ${parameters.bind(page.perPage)} offset ${parameters.bind(offsetOf(page))}`;
  if (total * SORTED_ROW_COSTS < steps)
    return `select t.* from (${select(`t.${list.key}`, matching(list, equals, parameters))} offset 0) t ${cut}`;
  // The index of the amounts holds the filtered columns, too; as expressions, so that no other index fits.
  const hidden = Object.entries(equals).map(
    ([column, value]) => `t.${column} || '' = ${parameters.bind(value)}`,
  );
  return `${select(`t.${list.key} + 0`, hidden)} ${cut}`;
}

function equalTo(equals: Readonly<Record<string, string>>, parameters: Parameters): readonly string[] {
  return Object.entries(equals).map(([column, value]) => `t.${column} = ${parameters.bind(value)}`);
}

/** The filter, with all values of the column that the index has in between, so that a range of numbers is one of the index. */
function matching(
  list: CountedList,
  equals: Readonly<Record<string, string>>,
  parameters: Parameters,
): readonly string[] {
  const { spread } = list;
  const conditions = equalTo(equals, parameters);
  if (spread === undefined || spread.column in equals || conditions.length === 0) return conditions;
  return [...conditions, `t.${spread.column} = any (${parameters.bind(spread.values)}::text[])`];
}
