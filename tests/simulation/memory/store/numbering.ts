/**
 * Dense numbers within a merchant's lists, from the table of counters: a number commits with its
 * row, and `at` never decreases along them.
 */
import type { Stream } from '../../../../src/adapters/postgres/schema/merchants.ts';
import type { MemoryStore } from './memory-store.ts';

/**
 * The next number and the time of its row: `latest`, or the previous row's time if that is later.
 * Null for an unknown merchant.
 */
export function nextNumber(
  { tables: { counters } }: MemoryStore,
  of: { merchantId: string; sandbox: boolean; stream: Stream; latest: Date },
): { readonly seq: bigint; readonly at: Date } | null {
  const counter = counters.find(of.merchantId, of.sandbox, of.stream);
  if (counter === undefined) return null;
  const lastAt = new Date(Math.max(counter.lastAt.getTime(), of.latest.getTime()));
  const { value } = counters.update(counter, { value: counter.value + 1n, lastAt });
  return { seq: value, at: lastAt };
}

/** Throws where there is no such merchant. */
export function requiredNumber(
  store: MemoryStore,
  of: { merchantId: string; sandbox: boolean; stream: Stream; latest: Date },
): { readonly seq: bigint; readonly at: Date } {
  const number = nextNumber(store, of);
  if (number === null) throw new Error(`no counter ${of.stream} of merchant ${of.merchantId}`);
  return number;
}
