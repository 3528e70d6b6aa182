/**
 * Pages of the rows that changed since a time, in the order of creation. They are counted in the
 * index of the last change, which holds everything requested. Recently changed rows were mostly
 * created recently, so a walk along the list meets the page soon; otherwise the changed rows are
 * sorted.
 */
import { sql } from 'drizzle-orm';
import type { Database } from '../client/client.ts';
import { theOnly } from '../client/statements.ts';
import { statement, statementsBy } from '../statement.ts';
import { names as namesOf, value } from '../statement-parts.ts';
import { foundPages, matching } from './found-pages.ts';
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
  valuesFor,
} from './list.ts';
import { CUT, cutOf, inEachOrder, type ListRequest, type Pages, rowsByKey, type Shape } from './pages.ts';

/** A walk of up to this many steps per changed row costs less than sorting them. */
const STEPS_PER_SORTED_ROW = 2;

/** The first requested condition is about the last change. */
export function changedPages<Found>(
  list: DenseList<Found>,
): Pages<Pick<Database, 'snapshot'>, ListRequest, Found> {
  const { table, key } = list;
  const shapes = findersIn(list, Object.keys(list.conditions))
    .filter((name) => conditionOf(list, name).finds === 'many')
    .map((name): Names => [name, 'from', 'to']);
  const countOf = statementsBy(shapes, (names: Names) =>
    statement({
      given: givenFor(list, names),
      selects: { total: sql`count(*)`.mapWith(Number) },
      text: (places, select) =>
        sql`select ${select} from (${matching(list, { names, orderBy: [key] }, places)}) found`,
    }),
  );
  // Reads this many rows from the beginning of the list, and selects the page's.
  const walkOf = statementsBy(inEachOrder(shapes), ({ names, order }: Shape) =>
    statement({
      given: { ...givenFor(list, names), ...CUT, steps: value<number>('bigint') },
      selects: list.select,
      text: ({ limit, offset, steps, ...places }, select) => {
        const along = inOrder([key], order);
        const columns = new Set([key, ...names.flatMap((name) => conditionOf(list, name).columns)]);
        const keys = sql`
          select ${key} as row_key from (
            select ${namesOf(...columns)} from ${table} where ${allOf(list, places)} order by ${along} limit ${steps}) ${table}
          where ${both(...holding(list, names, places))}
          order by ${along} limit ${limit} offset ${offset}`;
        return rowsByKey(list, { keys, orderBy: [key], order }, places, select);
      },
    }),
  );
  const found = foundPages(list);
  return (database, request) =>
    database.snapshot(async (on) => {
      const { scope, wanted, order, page } = request;
      const names = namesIn(list, wanted);
      const values = valuesFor(scope, wanted);
      const { total } = theOnly(await countOf(names)(on, values), 'a total');
      const cut = cutOf(page);
      const left = total - Number(cut.offset);
      if (left <= 0) return { rows: [], total };
      const steps = total * STEPS_PER_SORTED_ROW;
      const met = await walkOf({ names, order })(on, { ...values, ...cut, steps });
      if (met.length < Math.min(left, page.perPage)) return await found(on, { ...request, by: 'created_at' });
      return { rows: met.map((row) => list.read(row as never)), total };
    });
}
