/**
 * Which prices of a source count (safety.md P2): one that was not made, and one that did not move, within the source's own window is
 * that of a market which may be closed.
 */

/** One price of a source. */
export interface QuotedPrice {
  /** An exact plain decimal (no sign, no exponent), above zero. */
  readonly price: string;
  /** When it was made, as the source says; null where it does not. */
  readonly at: Date | null;
  /** Differs after every trade, as far as the source tells: the price, and what it says of the last trade. */
  readonly mark: string;
}

/** A mark of a price, and since when it is the same. */
export interface Standing {
  readonly mark: string;
  readonly sinceMs: number;
  /** Whether it was seen to change before. */
  readonly moved: boolean;
}

export function standingOf(before: Standing | undefined, { mark }: QuotedPrice, nowMs: number): Standing {
  if (before === undefined) return { mark, sinceMs: nowMs, moved: false };
  return before.mark === mark ? before : { mark, sinceMs: nowMs, moved: true };
}

/**
 * `proven`: made or moved within the window. `doubtful`: nobody can tell yet, since it was seen for the first time within the window
 * and the source names no time. Null: it is too old.
 */
export function freshness(
  { at }: QuotedPrice,
  { sinceMs, moved }: Standing,
  nowMs: number,
  windowSeconds: number,
): 'proven' | 'doubtful' | null {
  const oldestMs = nowMs - windowSeconds * 1000;
  if (sinceMs < oldestMs || (at !== null && at.getTime() < oldestMs)) return null;
  return moved || at !== null ? 'proven' : 'doubtful';
}
