/**
 * Checks what nodes answer: slots, lamports, addresses and hashes. A value of another shape throws
 * NodeError.
 */
import { fields, list, unusable } from '../shared/nodes/answers.ts';
import { normalizeSolanaAddress } from './address.ts';

/** A slot, a height, a time, an index. */
export function wholeNumber(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw unusable(what);
  return value;
}

export function lamports(value: unknown, what: string): bigint {
  if (typeof value === 'bigint') return value;
  return BigInt(wholeNumber(value, what));
}

/** Base units of a token: a text of digits. */
export function tokenUnits(value: unknown): bigint {
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) throw unusable('token amount');
  return BigInt(value);
}

/** An address, or a hash: 32 bytes in base58. */
export function address(value: unknown, what: string): string {
  if (typeof value !== 'string' || normalizeSolanaAddress(value) === null) throw unusable(what);
  return value;
}

/** The value of an answer with its context, and the slot of its state. */
export function withSlot(answer: unknown, what: string): { readonly slot: number; readonly value: unknown } {
  const { context, value } = fields(answer, what);
  return { slot: wholeNumber(fields(context, what).slot, `${what} slot`), value };
}

export interface Account {
  readonly lamports: bigint;
  readonly owner: string;
  readonly data: Uint8Array;
}

/** Accounts of getMultipleAccounts in encoding base64; null for those that do not exist. */
export function accounts(value: unknown, count: number): readonly (Account | null)[] {
  const found = list(value, 'accounts');
  if (found.length !== count) throw unusable('accounts');
  return found.map((item) => {
    if (item === null) return null;
    const { lamports: held, owner, data } = fields(item, 'account');
    const [encoded] = list(data, 'account data');
    if (typeof encoded !== 'string') throw unusable('account data');
    return {
      lamports: lamports(held, 'account lamports'),
      owner: address(owner, 'account owner'),
      data: Buffer.from(encoded, 'base64'),
    };
  });
}
