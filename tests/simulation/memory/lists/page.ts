/** The parts of lists in memory: filters, orders and pages. */
import type { DateRange, Page, PageRequest, Scope, Sort } from '../../../../src/ports/list-queries.ts';
import { byNumber } from '../store/orders.ts';

/** Whether a row is among those that a filter wants. */
export type Test<Row> = (row: Row) => boolean;

/** The rows of the table that belong to the scope. */
export function inScope<Row extends { readonly sandbox: boolean }>(
  table: { by(column: 'merchantId', value: string): Row[] },
  { merchantId, sandbox }: Scope,
): Row[] {
  return table.by('merchantId', merchantId).filter((row) => row.sandbox === sandbox);
}

/** Both inclusive. */
export function isWithin(at: Date, { from, to }: DateRange): boolean {
  return (from === null || at >= from) && (to === null || at <= to);
}

/** Null and undefined want all rows. */
export function wants<Value, Row>(
  value: Value | null | undefined,
  test: (value: Value) => Test<Row>,
): readonly Test<Row>[] {
  return value === null || value === undefined ? [] : [test(value)];
}

export function fulfilling<Row>(rows: readonly Row[], tests: readonly Test<Row>[]): Row[] {
  return rows.filter((row) => tests.every((test) => test(row)));
}

/** `compare` is the ascending order. */
export function inOrder<Row>(rows: Row[], order: Sort['order'], compare: (a: Row, b: Row) => number): Row[] {
  rows.sort(compare);
  return order === 'asc' ? rows : rows.reverse();
}

/** By their numbers, or by `byAmount`. */
export function sorted<Row extends { readonly seq: bigint }>(
  rows: Row[],
  { by, order }: Sort,
  byAmount: (a: Row, b: Row) => number,
): Row[] {
  return inOrder(rows, order, by === 'amount' ? byAmount : (a, b) => byNumber(a.seq, b.seq));
}

export function pageOf<Row, Found>(
  rows: readonly Row[],
  { page, perPage }: PageRequest,
  read: (row: Row) => Found,
): Page<Found> {
  const start = (page - 1) * perPage;
  return { rows: rows.slice(start, start + perPage).map(read), total: rows.length };
}
