/**
 * Reads a merchant's whole list, of any length, in constant memory: short reads of some hundred
 * rows, by dense number. Rows that are created after the first read have higher numbers and are not
 * included, so that no row is repeated or missing.
 */
import { sql } from 'drizzle-orm';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { statement, statementsBy } from '../statement.ts';
import { value } from '../statement-parts.ts';
import { allOf, type DenseList, givenFor, holding, inOrder, isBound, namesIn, valuesFor } from './list.ts';
import { inEachOrder, type ListRequest, type Shape, spans } from './pages.ts';

/** Rows per read: some milliseconds for the database, and then for the writer. */
const ROWS = 250;
/** Numbers per read if few of them match. */
const WIDEST = 16_384;

export type WholeRequest = Omit<ListRequest, 'page'>;

/** Reads a list; `read` runs each read in its turn. */
export type WholeList<Found> = (
  request: WholeRequest,
  read: <Made>(make: (on: Sql) => Promise<Made>) => Promise<Made>,
) => AsyncGenerator<readonly Found[], void>;

export function wholeList<Found>(list: DenseList<Found>): WholeList<Found> {
  const { table, key, joins } = list;
  const spanOf = spans(list);
  const every = Object.keys(list.conditions).filter((name) => !isBound(name));
  const rowsOf = statementsBy(inEachOrder([[], every]), ({ names, order }: Shape) =>
    statement({
      given: { ...givenFor(list, names), first: value<number>('bigint'), last: value<number>('bigint') },
      selects: { rowKey: sql`${key}`.mapWith(Number), ...list.select },
      text: ({ first, last, ...places }, select) => {
        const between = sql`${key} between ${first} and ${last}`;
        return sql`
          select ${select} from ${table} ${joins} where ${allOf(list, places, between, ...holding(list, names, places))}
          order by ${inOrder([key], order)} limit ${sql.raw(String(ROWS))}`;
      },
    }),
  );

  return async function* read({ scope, wanted, order }, inTurn) {
    const names = namesIn(list, wanted);
    const values = valuesFor(scope, wanted);
    const ascending = order === 'asc';
    const rowsIn = rowsOf({ names: names.filter((name) => !isBound(name)), order });
    let { first, last } = theOnly(await inTurn((on) => spanOf(names.filter(isBound))(on, values)), 'a range');
    for (let width = ROWS; first <= last; ) {
      const from = ascending ? first : Math.max(first, last - width + 1);
      const to = ascending ? Math.min(last, first + width - 1) : last;
      const rows = await inTurn((on) => rowsIn(on, { ...values, first: from, last: to }));
      const furthest = rows.length === ROWS ? Number(rows.at(-1)?.rowKey) : ascending ? to : from;
      if (ascending) first = furthest + 1;
      else last = furthest - 1;
      width = 2 * rows.length < ROWS ? Math.min(2 * width, WIDEST) : ROWS;
      if (rows.length > 0) yield rows.map((row) => list.read(row as never));
    }
  };
}
