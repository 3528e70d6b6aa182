/** The one rule of ChainScanner.blocks' argument that every scanner checks: a wrong range is a bug of the caller. */

/** Throws a RangeError unless 0 <= from <= to and the range holds at most `maxRange` blocks. */
export function checkBlockRange({ from, to }: { from: number; to: number }, maxRange: number): void {
  const valid = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from <= to;
  if (!valid || to - from + 1 > maxRange)
    throw new RangeError(`not a range of at most ${maxRange} blocks: ${from} .. ${to}`);
}
