/**
 * Tron address text: base58check of the byte 0x41 and the 20 bytes that contracts use. An address
 * has only one text, so the text is also the key under which it is stored and compared.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);
const ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
/** The first byte of every address; the letter T follows from it. */
export const ADDRESS_PREFIX = '41';
const HEX_ADDRESS = /^41[0-9a-f]{40}$/;

/**
 * The text of an address given as 42 lower-case hex digits, `41` first; throws for anything else.
 */
export function addressText(hex: string): string {
  if (!HEX_ADDRESS.test(hex)) throw new Error('not the bytes of a Tron address');
  return base58check.encode(Buffer.from(hex, 'hex'));
}

/** The address itself; null for another length, letter, checksum or first byte. */
export function normalizeTronAddress(address: string): string | null {
  return addressHex(address) === null ? null : address;
}

/** 42 lower-case hex digits, `41` first; null when it is no address. */
export function addressHex(address: string): string | null {
  if (!ADDRESS.test(address)) return null;
  try {
    const hex = Buffer.from(base58check.decode(address)).toString('hex');
    return HEX_ADDRESS.test(hex) ? hex : null;
  } catch {
    return null;
  }
}
