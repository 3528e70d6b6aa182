/**
 * Pages of a list that is filtered by a counted column (list-counts.ts) or a date range, or sorted
 * by amount. The total comes first, from the counts; it and the range of numbers decide the
 * shortest way to the page. Two statements in one snapshot.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../client/client.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { listCounts as counts } from '../schema/lists.ts';
import { statement, statementsBy } from '../statement.ts';
import { at, names as namesOf, value } from '../statement-parts.ts';
import type { SortedRequest } from './found-pages.ts';
import {
  allOf,
  conditionOf,
  givenFor,
  holding,
  inOrder,
  isBound,
  type Names,
  namesIn,
  type Order,
  orderOf,
  type Places,
  placeOf,
  type Values,
  valuesFor,
} from './list.ts';
import { BLOCK, BLOCK_ROWS, type CountedList, rowsByBlock } from './list-counts.ts';
import {
  CUT,
  type Cut,
  cutOf,
  inEachOrder,
  numberRange,
  type Pages,
  RANGES,
  rowsByKey,
  type Shape,
  spans,
} from './pages.ts';

/** Consecutive numbers, and how many of their rows match. */
interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

/** Known before the page is read: the stretches that have matches, in order. */
interface Found {
  /** Rows of the list, without filter and range. */
  readonly all: number;
  readonly stretches: readonly Stretch[];
}

interface Filtered {
  /** Of the date range. */
  readonly bounds: Names;
  /** The counted conditions; empty means all rows. */
  readonly counted: Names;
}

const BETWEEN = { first: value<number>('bigint'), last: value<number>('bigint') };

export function countedPages<Row>(
  list: CountedList<Row>,
): Pages<Pick<Database, 'snapshot'>, SortedRequest, Row> {
  const spanOf = spans(list);
  const blocksOf = blocks(list);
  const byNumber = pagesByNumber(list);
  const byAmount = pagesByAmount(list);

  async function find(on: Sql, { bounds, counted }: Filtered, values: Values): Promise<Found> {
    if (counted.length > 0)
      return foundFrom(theOnly(await blocksOf({ bounds, counted })(on, values), 'the total of a list'));
    const { first, last, all, gone } = theOnly(await spanOf(bounds)(on, values), 'a range');
    return { all, stretches: [{ first, last, rows: Math.max(0, last - first + 1 - gone) }] };
  }

  return (database, { scope, wanted, by, order, page }) =>
    database.snapshot(async (on) => {
      const names = namesIn(list, wanted);
      const counted = names.filter((name) => !isBound(name));
      const values = valuesFor(scope, wanted);
      const found = await find(on, { bounds: names.filter(isBound), counted }, values);
      const total = found.stretches.reduce((sum, { rows }) => sum + rows, 0);
      const cut = cutOf(page);
      if (Number(cut.offset) >= total) return { rows: [], total };
      if (by === 'created_at') {
        const rows = await byNumber({ names: counted, order })(on, {
          ...values,
          ...ahead(found, order, cut),
        });
        return { rows: rows.map((row) => list.read(row as never)), total };
      }
      const near = fromNearerEnd(order, cut, total);
      const shape = { names: counted, order: near.order, sorted: isSorted(found, total, near.cut) };
      const rows = await byAmount(shape)(on, { ...values, ...around(found), ...near.cut });
      const read = rows.map((row) => list.read(row as never));
      return { rows: near.order === order ? read : read.toReversed(), total };
    });
}

const numbers = (column: SQL) =>
  sql<readonly number[] | null>`${column}`.mapWith((all: readonly string[]) => all.map(Number));

/** By the filter's shape: the range, and the blocks that have its rows. */
function blocks(list: CountedList<unknown>) {
  const { table, key } = list;
  const [, ...filters] = filtersOf(list);
  const shapes = RANGES.flatMap((bounds) => filters.map((counted) => ({ bounds, counted })));
  return statementsBy(shapes, ({ bounds, counted }: Filtered) =>
    statement({
      given: givenFor(list, [...bounds, ...counted]),
      selects: {
        first: sql`sides.first`.mapWith(Number),
        last: sql`sides.last`.mapWith(Number),
        all: sql`sides.all`.mapWith(Number),
        low: sql`sides.low`.mapWith(Number),
        high: sql`sides.high`.mapWith(Number),
        below: sql`sides.below`.mapWith(Number),
        above: sql`sides.above`.mapWith(Number),
        blocks: numbers(
          sql`(select array_agg(${namesOf(counts.block)} order by ${namesOf(counts.block)}) from block)`,
        ),
        rows: numbers(sql`(select array_agg(rows order by ${namesOf(counts.block)}) from block)`),
      },
      // Whole blocks are counted; of the blocks at the ends of the range the rows are read. From
      // `low` to `high` the blocks are whole. The list's last block counts as whole.
      text: (places, select) => {
        const rowsBetween = (first: SQL, last: SQL) => sql`(select count(*) from ${table}
          where ${allOf(list, places, ...matching(list, counted, places), sql`${key} between ${first} and ${last}`)})`;
        return sql`
          with span as materialized (${numberRange(list, bounds, places)}),
          whole as materialized (
            select s.*, (s.first + ${BLOCK_ROWS} - 2) / ${BLOCK_ROWS} as low,
              case when s.last >= s.all then (s.last + ${BLOCK_ROWS} - 1) / ${BLOCK_ROWS} - 1
                else s.last / ${BLOCK_ROWS} - 1 end as high
            from span s),
          block as materialized (
            select b.* from whole cross join (${rowsByBlock(list, counted, places)}) b
            where ${at('b', counts.block)} between whole.low and whole.high),
          sides as (
            select w.*,
              case when w.high >= w.low then ${rowsBetween(sql`w.first`, sql`w.low * ${BLOCK_ROWS}`)} else 0 end as below,
              case when w.high >= w.low then ${rowsBetween(sql`(w.high + 1) * ${BLOCK_ROWS} + 1`, sql`w.last`)}
                else ${rowsBetween(sql`w.first`, sql`w.last`)} end as above
            from whole w)
          select ${select} from sides`;
      },
    }),
  );
}

type Counts = Readonly<Record<'first' | 'last' | 'all' | 'low' | 'high' | 'below' | 'above', number>> &
  Readonly<Record<'blocks' | 'rows', readonly number[] | null>>;

function foundFrom({ first, last, all, low, high, below, above, blocks: whole, rows }: Counts): Found {
  const hasWhole = high >= low;
  return {
    all,
    stretches: [
      { first, last: low * BLOCK, rows: below },
      ...(whole ?? []).map((block, place) => ({
        first: block * BLOCK + 1,
        last: (block + 1) * BLOCK,
        rows: Number(rows?.[place]),
      })),
      { first: hasWhole ? (high + 1) * BLOCK + 1 : first, last, rows: above },
    ].filter((stretch) => stretch.rows > 0),
  };
}

/** The first number of all stretches, and the last. */
function around({ stretches }: Pick<Found, 'stretches'>) {
  return {
    first: Math.min(...stretches.map(({ first }) => first)),
    last: Math.max(...stretches.map(({ last }) => last)),
  };
}

/** Starts at the stretch of the page's first row: earlier ones are not read. */
function ahead({ stretches }: Found, order: Order, { limit, offset }: Cut) {
  let skip = Number(offset);
  const left = order === 'asc' ? [...stretches] : stretches.toReversed();
  while (skip >= (left[0]?.rows ?? 0)) skip -= left.shift()?.rows ?? 0;
  return { ...around({ stretches: left }), limit, offset: BigInt(skip) };
}

function pagesByNumber(list: CountedList<unknown>) {
  const { table, key, spread } = list;
  return statementsBy(inEachOrder(filtersOf(list)), ({ names, order }: Shape) =>
    statement({
      given: { ...givenFor(list, names), ...CUT, ...BETWEEN },
      selects: list.select,
      text: ({ first, last, limit, offset, ...places }, select) => {
        const between = sql`${key} between ${first} and ${last}`;
        const keysOf = (...more: readonly SQL[]) => sql`
          select ${key} as row_key from ${table}
          where ${allOf(list, places, ...holding(list, names, places), ...more, between)} order by ${inOrder([key], order)}`;
        const cut = sql`limit ${limit} offset ${offset}`;
        const parts =
          spread && !names.includes(spread.name)
            ? spread.each.map((value) => sql`(${keysOf(value)} limit ${limit} + ${offset})`)
            : [];
        const keys =
          parts.length === 0
            ? sql`${keysOf()} ${cut}`
            : sql`${sql.join(parts, sql` union all `)} order by row_key ${sql.raw(order)} ${cut}`;
        return rowsByKey(list, { keys, orderBy: [key], order }, places, select);
      },
    }),
  );
}

/** A page of the second half is read from the end of the list, in the other order. */
function fromNearerEnd(order: Order, cut: Cut, total: number): { readonly order: Order; readonly cut: Cut } {
  const left = total - Number(cut.offset);
  if (left * 2 >= total) return { order, cut };
  const limit = Math.min(cut.limit, left);
  return { order: order === 'asc' ? 'desc' : 'asc', cut: { limit, offset: BigInt(left - limit) } };
}

/** The cost of sorting in steps along an index: fetching the row and comparing it. */
const SORTED_ROW_COSTS = 4;

/** Few matches are sorted; many matches appear soon on a walk along the amounts. */
function isSorted({ all }: Found, total: number, { limit, offset }: Cut): boolean {
  const steps = ((Number(offset) + limit) * all) / total;
  return total * SORTED_ROW_COSTS < steps;
}

interface AmountShape extends Shape {
  readonly sorted: boolean;
}

function pagesByAmount(list: CountedList<unknown>) {
  const { table, key } = list;
  const orderBy = orderOf(list, 'amount');
  const shapes = inEachOrder(filtersOf(list)).flatMap((shape) => [
    { ...shape, sorted: true },
    { ...shape, sorted: false },
  ]);
  return statementsBy(list.amount ? shapes : [], ({ names, order, sorted }: AmountShape) =>
    statement({
      given: { ...givenFor(list, names), ...CUT, ...BETWEEN },
      selects: list.select,
      text: ({ first, last, limit, offset, ...places }, select) => {
        const keysOf = (number: SQL, conditions: readonly SQL[]) => sql`
          select ${namesOf(...orderBy)}, ${key} as row_key from ${table}
          where ${allOf(list, places, ...conditions, sql`${number} between ${first} and ${last}`)}`;
        const cut = sql`order by ${inOrder(orderBy, order)} limit ${limit} offset ${offset}`;
        // The index of the amounts holds the filtered columns too. They are expressions here, so
        // that no other index fits.
        const hidden = names.map(
          (name) => sql`${conditionOf(list, name).columns[0]} || '' = ${placeOf(places, name)}`,
        );
        const keys = sorted
          ? sql`select * from (${keysOf(sql`${key}`, matching(list, names, places))} offset 0) ${table} ${cut}`
          : sql`${keysOf(sql`${key} + 0`, hidden)} ${cut}`;
        return rowsByKey(list, { keys, orderBy, order }, places, select);
      },
    }),
  );
}

/** For the test that prepares statements: no filter, each alone, and all together. */
function filtersOf(list: CountedList<unknown>): readonly Names[] {
  const counted = Object.keys(list.conditions).filter((name) => conditionOf(list, name).counted);
  return [[], ...counted.map((name) => [name]), counted];
}

/**
 * The filter, with all values of a column that the index has before the number, so that a range of
 * numbers is a range of the index.
 */
function matching(list: CountedList<unknown>, counted: Names, places: Places): readonly SQL[] {
  const { spread } = list;
  const conditions = holding(list, counted, places);
  if (spread === undefined || counted.includes(spread.name) || conditions.length === 0) return conditions;
  return [...conditions, spread.any];
}
