/**
 * The filter of logs in a block's header (Yellow Paper, 4.3.1): 2,048 bits, of which each address
 * and each topic of the block's logs sets three. The block cannot have what the filter excludes; it
 * may have what the filter admits.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';

const BYTES = 256;
/** Offsets in the digest of the byte pairs that each name a bit. */
const PAIRS = [0, 2, 4];

/**
 * For each bit of `item` (an address or a topic, 0x and hex): the byte that holds it, from the
 * left, and its mask.
 */
function bitsOf(item: string): readonly (readonly [place: number, mask: number])[] {
  const digest = keccak_256(Buffer.from(item.slice(2), 'hex'));
  return PAIRS.map((at) => {
    const bit = ((digest[at]! << 8) | digest[at + 1]!) % (8 * BYTES);
    return [BYTES - 1 - (bit >> 3), 1 << (bit & 7)];
  });
}

const bytesOf = (filter: string): Buffer => Buffer.from(filter.slice(2), 'hex');

/** Whether logs with all of `items` can be in a block with this filter (0x and hex, 256 bytes). */
export function admits(filter: string, items: readonly string[]): boolean {
  const bytes = bytesOf(filter);
  return items.flatMap(bitsOf).every(([place, mask]) => (bytes[place]! & mask) !== 0);
}

/**
 * Whether logs with `items` set every bit of the filter. They may set more: some logs of Polygon
 * are in no header.
 */
export function accountFor(filter: string, items: Iterable<string>): boolean {
  const bytes = bytesOf(filter);
  for (const item of new Set(items)) for (const [place, mask] of bitsOf(item)) bytes[place]! &= ~mask;
  return bytes.every((byte) => byte === 0);
}
