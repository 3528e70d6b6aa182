/**
 * Which prices of a source count (safety.md P2). A price that was not made, or did not move, within
 * the source's window may be of a closed market.
 */

/** One price of a source. */
export interface QuotedPrice {
  /** An exact plain decimal (no sign, no exponent), above zero. */
  readonly price: string;
  /** When it was made, by the source; null if unknown. */
  readonly at: Date | null;
  /** Changes with each trade: the price, and what the source says of the last trade. */
  readonly mark: string;
}

/** A price's mark, and since when it is unchanged. */
export interface UnchangedPrice {
  readonly mark: string;
  readonly sinceMs: number;
  /** Whether it was seen to change before. */
  readonly moved: boolean;
}

export function standingOf(
  before: UnchangedPrice | undefined,
  { mark }: QuotedPrice,
  nowMs: number,
): UnchangedPrice {
  if (before === undefined) return { mark, sinceMs: nowMs, moved: false };
  return before.mark === mark ? before : { mark, sinceMs: nowMs, moved: true };
}

/**
 * `proven`: made or moved within the window. `doubtful`: unknown, because it was first seen within
 * the window and the source names no time. Null: too old.
 */
export function freshness(
  { at }: QuotedPrice,
  { sinceMs, moved }: UnchangedPrice,
  nowMs: number,
  windowSeconds: number,
): 'proven' | 'doubtful' | null {
  const oldestMs = nowMs - windowSeconds * 1000;
  if (sinceMs < oldestMs || (at !== null && at.getTime() < oldestMs)) return null;
  return moved || at !== null ? 'proven' : 'doubtful';
}
