/**
 * Checks what nodes answer: a value of another shape throws NodeError. Hashes are returned in
 * lower-case hex.
 */
import { list, unusable } from '../shared/nodes/answers.ts';
import { normalizeTonAddress } from './address.ts';
import { tonNetwork } from './network.ts';

/** Nodes write addresses with or without the test network's mark. */
const ANY_NETWORK = tonNetwork('test');

/** A whole number that a float holds exactly, as number or text; may be negative. */
export function wholeNumber(value: unknown, what: string): number {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw unusable(what);
  return number;
}

/** An amount or a logical time: text in most versions, a number in some. */
export function units(value: unknown, what: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^\d{1,78}$/.test(value)) return BigInt(value);
  throw unusable(what);
}

export function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw unusable(what);
  return value;
}

/** 32 bytes in base64 of either alphabet, or in hex: versions differ. */
export function hash(value: unknown, what: string): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) throw unusable(what);
  return Buffer.from(value.replaceAll('-', '+').replaceAll('_', '/'), 'base64').toString('hex');
}

/**
 * An account as blocks list it: raw, user-friendly, or only its 32 bytes. Returns the raw form in
 * lower case.
 */
export function accountIn(value: unknown, workchain: number): string {
  const written = text(value, 'account');
  return normalizeTonAddress(ANY_NETWORK, written) ?? `${workchain}:${hash(written, 'account')}`;
}

/** A number in a get method's result: `["num", "0x..."]`. */
export function stackNumber(stack: unknown, position: number, what: string): bigint {
  const [kind, value] = list(list(stack, what)[position], what);
  const found = kind === 'num' && typeof value === 'string' ? /^(-?)0x([0-9a-f]+)$/i.exec(value) : null;
  if (found === null) throw unusable(what);
  const magnitude = BigInt(`0x${found[2]}`);
  return found[1] === '-' ? -magnitude : magnitude;
}

/**
 * The bag of cells (base64) of a cell or a slice in a get method's result: `["cell", {"bytes":
 * "..."}]`.
 */
export function stackCell(stack: unknown, position: number, what: string): string {
  const [kind, value] = list(list(stack, what)[position], what);
  if ((kind !== 'cell' && kind !== 'slice') || typeof value !== 'object' || value === null)
    throw unusable(what);
  return text((value as { bytes?: unknown }).bytes, what);
}
