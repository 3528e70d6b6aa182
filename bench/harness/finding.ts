/** What a row of the bench promises, and what one run of it found. */

/** `each`: a count for each one of many. */
export type Unit = 'x' | 's' | 'ms' | 'MB' | 'kB' | 'each';

export interface Target {
  readonly relation: 'at least' | 'at most';
  readonly value: number;
  readonly unit: Unit;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

export interface Finding {
  /** What was compared with what, in words. */
  readonly what: string;
  /** Null: told for the record, promised nowhere. */
  readonly target: Target | null;
  readonly unit: Unit;
  /** Of the rounds; the median is held against the target. */
  readonly measured: Spread;
  /** The absolute figures behind it, ours first. */
  readonly absolute: string;
  /** Ours first; empty where there is nothing to time one by one. */
  readonly latencies: readonly Latency[];
}

export function reached({ target, measured }: Finding): boolean {
  if (target === null) return true;
  return target.relation === 'at least' ? measured.median >= target.value : measured.median <= target.value;
}

export const atLeast = (value: number, unit: Unit = 'x'): Target => ({ relation: 'at least', value, unit });
export const atMost = (value: number, unit: Unit): Target => ({ relation: 'at most', value, unit });
