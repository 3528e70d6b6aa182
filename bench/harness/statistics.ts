/** Medians, spreads and percentiles. */
import type { Latency, Spread } from './finding.ts';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) throw new Error('the median of nothing');
  return sorted.length % 2 === 1
    ? at(sorted, Math.floor(middle))
    : (at(sorted, middle - 1) + at(sorted, middle)) / 2;
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Of times in milliseconds, nearest rank; the array is sorted in place. */
export function latency(milliseconds: number[]): Latency {
  milliseconds.sort((a, b) => a - b);
  const rank = (share: number) => at(milliseconds, Math.max(0, Math.ceil(milliseconds.length * share) - 1));
  return milliseconds.length === 0
    ? { p50: Number.NaN, p99: Number.NaN }
    : { p50: rank(0.5), p99: rank(0.99) };
}

function at(values: readonly number[], position: number): number {
  const value = values[position];
  if (value === undefined) throw new RangeError(`no value at ${position}`);
  return value;
}
