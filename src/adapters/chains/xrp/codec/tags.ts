/**
 * The destination tag of a derivation index: a fixed bijection of 0 .. 2^32 - 3 onto the tags 1 ..
 * 2^32 - 2. It must never change. Tags 0 and 2^32 - 1 are never ours: careless senders fill them
 * in.
 */

/** The number of tags, without the two. */
const TAGS = 2n ** 32n - 2n;
/**
 * Coprime to TAGS, so that no two indexes share a tag. Chosen so that a typing error does no harm:
 * two tags that differ in one digit, or by two swapped neighbouring digits, belong to indexes at
 * least 218,032,508 apart. With fewer addresses than that in use, no such error hits another one.
 */
const STEP = 188_616_885n;
/** The tag of index 0, less one. It only keeps the first tags from being small numbers. */
const START = 2_718_281_828n;

/** `index`: 0 to 2^31 - 1, like every derivation index. */
export function destinationTag(index: number): number {
  return Number(1n + ((START + STEP * BigInt(index)) % TAGS));
}
