/**
 * Ranges of blocks: the rule for ChainScanner.blocks' argument that every scanner checks, and their
 * heights.
 */

/**
 * Throws a RangeError unless 0 <= from <= to and the range holds at most `maxRange` blocks:
 * otherwise the caller has a bug.
 */
export function checkBlockRange({ from, to }: { from: number; to: number }, maxRange: number): void {
  const valid = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from <= to;
  if (!valid || to - from + 1 > maxRange)
    throw new RangeError(`not a range of at most ${maxRange} blocks: ${from} .. ${to}`);
}

/** All heights from `from` to `to`, ascending; none where `to` is below. */
export const heightsOf = ({ from, to }: { from: number; to: number }): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
