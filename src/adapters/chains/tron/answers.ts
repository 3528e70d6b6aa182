/**
 * Checks values of nodes' answers: another shape throws NodeError. Numbers are text; proto3 omits
 * zeros.
 */
import { unusable } from '../shared/nodes/answers.ts';

/** A number of at least zero; absent means zero. */
export function amount(value: unknown, what: string): bigint {
  if (value === undefined) return 0n;
  if (typeof value !== 'string' || !/^\d{1,19}$/.test(value)) throw unusable(what);
  return BigInt(value);
}

export function smallNumber(value: unknown, what: string): number {
  const number = Number(amount(value, what));
  if (!Number.isSafeInteger(number)) throw unusable(what);
  return number;
}

/** Hex digits without `0x`, in lower case; `bytes` of them where that is fixed. */
export function hexText(value: unknown, what: string, bytes?: number): string {
  if (typeof value !== 'string' || !/^(?:[0-9a-fA-F]{2})*$/.test(value)) throw unusable(what);
  if (bytes !== undefined && value.length !== 2 * bytes) throw unusable(what);
  return value.toLowerCase();
}

export const hash = (value: unknown, what: string): string => hexText(value, what, 32);

/** The message of a refusal: nodes send it in hex, gateways sometimes as it is. */
export function messageText(value: unknown): string {
  if (typeof value !== 'string' || value === '') return 'an error without a message';
  return /^(?:[0-9a-fA-F]{2})+$/.test(value) ? Buffer.from(value, 'hex').toString('utf8') : value;
}
