/**
 * Hashes of small ordinary cells of level 0, without building them: sha256 over two descriptor
 * bytes, the data, and depth and hash of each reference (TVM whitepaper, 3.1.5). Addresses are such
 * hashes.
 */
import { createHash } from 'node:crypto';

/** The parts of a cell that its parents need. */
export interface CellId {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  readonly depth: number;
}

/** The data of a cell: the lowest `length` bits of `value`. */
export interface Bits {
  readonly value: bigint;
  readonly length: number;
}

/** Fields one after the other: `[value, length]` each. */
export function bitsOf(...fields: readonly (readonly [value: bigint, length: number])[]): Bits {
  return fields.reduce<Bits>(
    (bits, [value, length]) => ({
      value: (bits.value << BigInt(length)) | BigInt.asUintN(length, value),
      length: bits.length + length,
    }),
    { value: 0n, length: 0 },
  );
}

/** At most 1023 bits and four references. */
export function cellId({ value, length }: Bits, refs: readonly CellId[] = []): CellId {
  const size = Math.ceil(length / 8);
  const filler = BigInt(8 * size - length);
  // Data of no whole number of bytes ends in a 1 and zeros.
  const padded = filler === 0n ? value : ((value << 1n) | 1n) << (filler - 1n);
  const data = size === 0 ? Buffer.alloc(0) : Buffer.from(padded.toString(16).padStart(2 * size, '0'), 'hex');
  const hash = createHash('sha256').update(Uint8Array.of(refs.length, Math.floor(length / 8) + size));
  hash.update(data);
  for (const { depth } of refs) hash.update(Uint8Array.of(depth >> 8, depth & 255));
  for (const ref of refs) hash.update(ref.hash);
  const depth = refs.length === 0 ? 0 : 1 + Math.max(...refs.map((ref) => ref.depth));
  return { hash: hash.digest(), depth };
}

/** 32 bytes as a number, for fields of 256 bits. */
export const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
