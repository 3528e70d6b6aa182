/** Where a search in memory looks: at one merchant in one environment, or across all. */
import { FOUND_MAX } from '../../../../src/ports/console/payment-search.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { Tables } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

export type RowOf<Name extends keyof Tables> = ReturnType<Tables[Name]['insert']>;
export type Order<Row> = (a: Row, b: Row) => number;

interface Placed<Row> {
  all(): Iterable<Row>;
  by(column: 'merchantId', value: string): Row[];
}

/** The rows of the scope; null: all. */
export function placed<Row extends Scope>(table: Placed<Row>, scope: Scope | null): Row[] {
  if (scope === null) return [...table.all()];
  return table.by('merchantId', scope.merchantId).filter(({ sandbox }) => sandbox === scope.sandbox);
}

/** The newest first: ids sort by time. */
export const byId: Order<{ readonly id: string }> = (a, b) => byText(b.id, a.id);

/** Of each merchant and environment the first in the order. */
export function eachOwner<Row extends Scope>(
  rows: readonly Row[],
  order: Order<Row>,
  most: number = FOUND_MAX,
): Row[] {
  const counts = new Map<string, number>();
  return rows.toSorted(order).filter(({ merchantId, sandbox }) => {
    const owner = `${merchantId} ${sandbox}`;
    const count = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, count);
    return count <= most;
  });
}
