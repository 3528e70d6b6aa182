/**
 * Parts of answers, checked: every value is of the right shape or the program that answered is at
 * fault. Numbers arrive as text.
 */
import { NodeError } from '../shared/nodes/node-errors.ts';

export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new NodeError(`unusable answer: ${what}`);
  return value;
}

export function hash(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value))
    throw new NodeError(`unusable answer: ${what}`);
  return value;
}

/** An unsigned number of 64 bits, from its digits. */
export function digits(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) throw new NodeError(`unusable answer: ${what}`);
  return BigInt(value);
}

export function wholeNumber(value: unknown, what: string): number {
  const number = Number(digits(value, what));
  if (!Number.isSafeInteger(number)) throw new NodeError(`unusable answer: ${what}`);
  return number;
}
