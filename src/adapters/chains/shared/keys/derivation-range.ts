/** The non-hardened derivation indexes of BIP-32, checked once for every deriver. */

/** Indexes from 2^31 on are hardened in BIP-32: no public key can derive them. */
const NON_HARDENED_INDEXES = 2 ** 31;

/** `from` .. `from + count - 1`; a RangeError when that is not a range of non-hardened indexes. */
export function derivationIndexes({ from, count }: { from: number; count: number }): number[] {
  const valid =
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(count) &&
    from >= 0 &&
    count >= 0 &&
    from + count <= NON_HARDENED_INDEXES;
  if (!valid) throw new RangeError(`not a range of derivation indexes: from ${from}, count ${count}`);
  return Array.from({ length: count }, (_, offset) => from + offset);
}
