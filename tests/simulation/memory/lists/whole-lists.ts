/**
 * Whole lists in memory, in the batches of src/adapters/postgres/lists/whole-lists.ts: a row that
 * changes between two of them is read as it is then, and what is added after the first is left out.
 */
import { ListRefused, type Sort } from '../../../../src/ports/list-queries.ts';
import { byNumber } from '../store/orders.ts';
import { inOrder } from './page.ts';

const ROWS = 250;
/** Numbers per read if few of them match. */
const WIDEST = 16_384;

interface WholeList<Row, Found> {
  readonly merchantId: string;
  readonly order: Sort['order'];
  /** The rows of the date range now, whatever else is wanted. */
  readonly inRange: () => readonly Row[];
  readonly matching: () => readonly Row[];
  /** Dense numbers. */
  readonly seqOf: (row: Row) => bigint;
  readonly read: (row: Row) => Found;
}

/** A merchant has one at a time. */
export function wholeLists() {
  const running = new Set<string>();

  return async function* every<Row, Found>(
    list: WholeList<Row, Found>,
  ): AsyncGenerator<readonly Found[], void> {
    const { merchantId } = list;
    if (running.has(merchantId)) throw new ListRefused('busy');
    running.add(merchantId);
    try {
      yield* batches(list);
    } finally {
      running.delete(merchantId);
    }
  };
}

async function* batches<Row, Found>({
  order,
  inRange,
  matching,
  seqOf,
  read,
}: WholeList<Row, Found>): AsyncGenerator<readonly Found[], void> {
  const ascending = order === 'asc';
  const numbers = inRange().map((row) => Number(seqOf(row)));
  let [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  for (let width = ROWS; first <= last; ) {
    const from = ascending ? first : Math.max(first, last - width + 1);
    const to = ascending ? Math.min(last, first + width - 1) : last;
    const between = matching().filter((row) => seqOf(row) >= from && seqOf(row) <= to);
    const rows = inOrder(between, order, (a, b) => byNumber(seqOf(a), seqOf(b))).slice(0, ROWS);
    const end = rows.at(-1);
    const furthest = rows.length === ROWS && end !== undefined ? Number(seqOf(end)) : ascending ? to : from;
    if (ascending) first = furthest + 1;
    else last = furthest - 1;
    width = 2 * rows.length < ROWS ? Math.min(2 * width, WIDEST) : ROWS;
    if (rows.length > 0) yield rows.map(read);
  }
}
