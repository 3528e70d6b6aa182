/**
 * Solana addresses: 32 bytes in base58, without a checksum. The text is its own key: upper and
 * lower case differ.
 */
import { base58 } from '@scure/base';

const ADDRESS_BYTES = 32;
/** 32 bytes are 32 (all zero) to 44 digits. */
const ADDRESS_TEXT = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SIGNATURE_TEXT = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const SIGNATURE_BYTES = 64;

/**
 * Highest derivation index of a deposit address: the hot wallet has the first account, so the
 * account is the index plus one.
 */
export const INDEX_MAX = 2 ** 31 - 2;

/** The address itself, or null when it is none. */
export function normalizeSolanaAddress(address: string): string | null {
  return bytesOf(address, ADDRESS_TEXT, ADDRESS_BYTES) === null ? null : address;
}

export const addressText = (bytes: Uint8Array): string => base58.encode(bytes);

/** Whether this can be a transaction's id, which is the signature of its fee payer. */
export function isSignature(text: string): boolean {
  return bytesOf(text, SIGNATURE_TEXT, SIGNATURE_BYTES) !== null;
}

function bytesOf(text: string, shape: RegExp, length: number): Uint8Array | null {
  if (!shape.test(text)) return null;
  const bytes = base58.decode(text);
  return bytes.length === length ? bytes : null;
}
