/**
 * The destination tag of a derivation index: a fixed bijection of 0 .. 2^32 - 3 onto the tags 1 .. 2^32 - 2, which no
 * release may ever change. Tags 0 and 2^32 - 1 are never ours: they are what careless senders fill in.
 */

/** How many tags there are, without the two. */
const TAGS = 2n ** 32n - 2n;
/**
 * Shares no factor with TAGS, so that no two indexes share a tag. Chosen so that a slip of the pen does no harm: two tags
 * that differ in one digit, or by two neighbouring digits swapped, belong to indexes at least 218,032,508 apart. With fewer
 * addresses than that given out, no such slip hits another one.
 */
const STEP = 188_616_885n;
/** The tag of index 0, less one: only so that the first tags are no small numbers. */
const START = 2_718_281_828n;

/** `index`: 0 to 2^31 - 1, as every derivation index. */
export function destinationTag(index: number): number {
  return Number(1n + ((START + STEP * BigInt(index)) % TAGS));
}
