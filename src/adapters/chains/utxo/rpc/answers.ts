/**
 * What nodes and servers answer, checked: hashes, whole numbers and bytes in hex, or the source is
 * at fault.
 */
import { unusable } from '../../shared/nodes/answers.ts';

export function isTxid(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

export function hashIn(value: unknown): string {
  if (typeof value !== 'string' || !isTxid(value)) throw unusable('hash');
  return value;
}

/** A height or a number of blocks. */
export function wholeNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw unusable('whole number');
  return value;
}

export function bytesOfHex(value: unknown): Uint8Array {
  if (typeof value !== 'string') throw unusable('hex');
  const bytes = Buffer.from(value, 'hex');
  if (bytes.length * 2 !== value.length) throw unusable('hex');
  return bytes;
}
