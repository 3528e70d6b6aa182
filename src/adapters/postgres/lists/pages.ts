/**
 * Pages of a merchant's lists with exact totals. A densely numbered list (numbering.ts) is paged by
 * number: any page and the total, of the whole list or a date range, cost the same (performance.md,
 * "Reading"), and at most a walk through one block more where numbers were removed. A filtered page
 * reads its keys from an index first, and then the rows; counted-pages.ts has those with a counted
 * total.
 */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { Page, PageRequest, Scope } from '../../../ports/list-queries.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals } from '../schema/columns.ts';
import { counters as c } from '../schema/merchants.ts';
import { statement, statementsBy, type ValuesOf } from '../statement.ts';
import { value } from '../statement-parts.ts';
import {
  allOf,
  type Counted,
  type DenseList,
  givenFor,
  holding,
  inOrder,
  type List,
  type Names,
  namesIn,
  type Order,
  type Places,
  valuesFor,
  type Wanted,
} from './list.ts';
import { removedByBlock, removedWithin } from './removed-numbers.ts';

/** The possible bounds of a date range. */
export const RANGES: readonly Names[] = [[], ['from'], ['to'], ['from', 'to']];
/** The requested part of the rows. */
export const CUT = { limit: value<number>('bigint'), offset: value<bigint>('bigint') };

export type Cut = ValuesOf<typeof CUT>;

export const ROW_KEY = sql`page.row_key`;

export interface Shape {
  /** The conditions. */
  readonly names: Names;
  readonly order: Order;
}

export interface ListRequest {
  readonly scope: Scope;
  readonly wanted: Wanted;
  readonly order: Order;
  readonly page: PageRequest;
}

/** Makes pages of one list. */
export type Pages<On, Request, Found> = (on: On, request: Request) => Promise<Page<Found>>;

/**
 * The numbers of a date range, and how many there are: `select first, last, all` of one row; empty
 * ranges have last < first.
 */
export function numberRange(list: DenseList<unknown>, names: Names, places: Places): SQL {
  const { table, key, time } = list;
  const bound = (name: string) =>
    names.includes(name) && allOf(list, places, ...holding(list, [name], places));
  const [from, to] = [bound('from'), bound('to')];
  const ofCounter = (
    column: AnyColumn,
  ) => sql`(select ${column} from ${c} where ${c.merchantId} = ${places.merchantId}
    and ${c.sandbox} = ${places.sandbox} and ${equals(c.stream, list.stream)})`;
  const count = ofCounter(c.value);
  const first = from
    ? sql`coalesce((select ${key} from ${table} where ${from} order by ${time}, ${key} limit 1), ${count} + 1, 1)`
    : sql`coalesce(${ofCounter(c.removed)}, 0) + 1`;
  const last = to
    ? sql`coalesce((select ${key} from ${table} where ${to} order by ${time} desc, ${key} desc limit 1), 0)`
    : sql`coalesce(${count}, 0)`;
  return sql`select (${first})::bigint as first, (${last})::bigint as last, coalesce(${count}, 0) as all`;
}

export function spans(list: DenseList<unknown>) {
  return statementsBy(RANGES, (names: Names) =>
    statement({
      given: givenFor(list, names),
      selects: {
        first: sql`span.first`.mapWith(Number),
        last: sql`span.last`.mapWith(Number),
        all: sql`span.all`.mapWith(Number),
        gone: sql`span.gone`.mapWith(Number),
      },
      text: (places, select) => {
        const gone = list.isSparse ? removedWithin(places, SPAN) : sql`0`;
        return sql`
          select ${select} from (
            select span.*, ${gone} as gone from (${numberRange(list, names, places)}) span) span`;
      },
    }),
  );
}

const SPAN = { first: sql`span.first`, last: sql`span.last` };

/**
 * CTEs after `span`: `gone`, the blocks that lack rows, and `start (number, skip, gone)`: the
 * number at which the page begins, how many rows there come before it, and how many numbers of the
 * span were removed.
 */
function startOf(
  list: DenseList<unknown>,
  order: Order,
  { offset, ...places }: Places & { offset: SQL },
): SQL {
  const begin = order === 'asc' ? sql`span.first + ${offset}` : sql`span.last - ${offset}`;
  if (!list.isSparse)
    return sql`start as materialized (select ${begin} as number, 0 as skip, 0 as gone from span)`;
  // Where a block begins and ends in the order of the page, and the step to the next number.
  const [from, to, step] = order === 'asc' ? [sql`low`, sql`high`, sql`1`] : [sql`high`, sql`low`, sql`-1`];
  const end = order === 'asc' ? sql`span.first` : sql`span.last`;
  return sql`
    gone as materialized (
      select removed.* from span cross join lateral (${removedByBlock(places, SPAN)}) removed),
    ahead as materialized (
      select gone.*, high - low + 1 - gone as rows, abs(${from} - ${end}) - coalesce(sum(gone) over (
        order by ${step} * low rows between unbounded preceding and 1 preceding), 0)::bigint as before
      from gone cross join span),
    reached as materialized (
      select ahead.*, ${offset} - before as left_over from ahead where before <= ${offset}
      order by before desc, ${step} * low desc limit 1),
    start as materialized (
      select coalesce(case when left_over < rows then ${from} else ${to} + ${step} * (1 + left_over - rows) end, ${begin})
          as number,
        coalesce(case when left_over < rows then left_over end, 0) as skip,
        (select coalesce(sum(gone), 0) from gone) as gone
      from span left join reached on true)`;
}

/** Of the whole list, or of a date range, by dense number. */
export function densePages<Found>(list: DenseList<Found>): Pages<Sql, ListRequest, Found> {
  const { table, key, joins } = list;
  const statementOf = statementsBy(inEachOrder(RANGES), ({ names, order }: Shape) =>
    statement({
      given: { ...givenFor(list, names), ...CUT },
      selects: {
        total: sql`greatest(span.last - span.first + 1 - start.gone, 0)`.mapWith(Number),
        rowKey: sql`${key}`,
        ...list.select,
      },
      text: ({ limit, offset, ...places }, select) => {
        // Scalar subqueries make the bounds index conditions, and the order comes from the index.
        const bounds =
          order === 'desc'
            ? sql`${key} <= (select number from start) and ${key} >= (select first from span)`
            : sql`${key} >= (select number from start) and ${key} <= (select last from span)`;
        const skipped = list.isSparse ? sql`offset (select skip from start)` : sql``;
        return sql`
          with span as materialized (${numberRange(list, names, places)}),
          ${startOf(list, order, { ...places, offset })},
          page as materialized (
            select * from ${table} where ${allOf(list, places, bounds)} order by ${inOrder([key], order)}
            limit ${limit} ${skipped})
          select ${select} from span cross join start left join page ${table} on true ${joins}
          order by ${inOrder([key], order)}`;
      },
    }),
  );
  return async (on, { scope, wanted, order, page }) => {
    const names = namesIn(list, wanted);
    const rows = await statementOf({ names, order })(on, { ...valuesFor(scope, wanted), ...cutOf(page) });
    return pageOf(list, rows);
  };
}

/**
 * Of the matching rows, the newest first. `orderBy`: columns of the list's table that end in a
 * unique one, for these conditions.
 */
export function filteredPages<Found>(
  list: List<Found>,
  orderBy: (names: Names) => readonly AnyColumn[],
): Pages<Sql, Omit<ListRequest, 'order'>, Found> {
  const { table, key, joins } = list;
  const every = Object.keys(list.conditions);
  const shapes = [[], every, ...every.map((name) => [name])];
  const statementOf = statementsBy(shapes, (names: Names) =>
    statement({
      given: { ...givenFor(list, names), ...CUT },
      selects: { total: sql`matching.total`.mapWith(Number), rowKey: ROW_KEY, ...list.select },
      text: ({ limit, offset, ...places }, select) => {
        const where = allOf(list, places, ...holding(list, names, places));
        const order = inOrder(orderBy(names), 'desc');
        return sql`
          with matching as materialized (select count(*) as total from ${table} where ${where}),
          page as materialized (
            select ${key} as row_key from ${table} where ${where} order by ${order} limit ${limit} offset ${offset})
          select ${select} from matching left join page on true left join ${rowOfKey(list, places)} ${joins}
          order by ${order}`;
      },
    }),
  );
  return async (on, { scope, wanted, page }) => {
    const values = { ...valuesFor(scope, wanted), ...cutOf(page) };
    return pageOf(list, await statementOf(namesIn(list, wanted))(on, values));
  };
}

/** The rows of a page whose keys `keys` selects as `row_key`; there is at least one. */
export function rowsByKey(
  list: List<unknown>,
  page: { readonly keys: SQL; readonly orderBy: readonly AnyColumn[]; readonly order: Order },
  places: Places,
  select: SQL,
): SQL {
  return sql`
    with page as materialized (${page.keys})
    select ${select} from page join ${rowOfKey(list, places)} ${list.joins}
    order by ${inOrder(page.orderBy, page.order)}`;
}

/**
 * Fetches rows one by one through `limit 1`: for a page of unknown length the planner might join
 * the whole table.
 */
export function rowOfKey(list: List<unknown>, places: Places): SQL {
  const { table, key } = list;
  const found = allOf(list, places, sql`${key} = page.row_key`);
  return sql`lateral (select * from ${table} where ${found} limit 1) ${table} on true`;
}

export function pageOf<Found>(list: List<Found>, rows: readonly (object & Counted)[]): Page<Found> {
  const [first] = rows;
  if (first === undefined) throw new Error('a page came without its total');
  if (first.rowKey === null) return { rows: [], total: theOnly(rows, 'an empty page').total };
  return { rows: rows.map((row) => list.read(row as never)), total: first.total };
}

/** Page numbers go up to 2^53; the cut stays within the database's integer range. */
export function cutOf({ page, perPage }: PageRequest): Cut {
  return { limit: perPage, offset: BigInt(page - 1) * BigInt(perPage) };
}

export function inEachOrder(all: readonly Names[]): readonly Shape[] {
  return all.flatMap((names) => [{ names, order: 'asc' } as const, { names, order: 'desc' } as const]);
}
