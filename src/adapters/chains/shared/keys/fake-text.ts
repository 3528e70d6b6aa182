/** The text of addresses without an owner: letters from no key, and a valid checksum. */
import { sha256 } from '@noble/hashes/sha2.js';
import type { BytesCoder } from '@scure/base';

const BASE58_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const CHECKSUM_BYTES = 4;

/** The result of `read` for `text`, or null where it throws. */
export function decoded<T>(read: (text: string) => T, text: string): T | null {
  try {
    return read(text);
  } catch {
    return null;
  }
}

/** Base58 text of `length` characters that begins with `prefix`. */
export function base58Filler(prefix: string, length: number, entropy: Uint8Array): string {
  const filler = Array.from(
    entropy.subarray(0, length - prefix.length),
    (byte) => BASE58_ALPHABET[byte % 58],
  );
  return prefix + filler.join('');
}

/**
 * `text` in the letters of `coder`, its last four bytes replaced by the checksum of base58check.
 */
export function withBase58Checksum(coder: BytesCoder, text: string): string {
  const payload = coder.decode(text).subarray(0, -CHECKSUM_BYTES);
  return coder.encode(Uint8Array.from([...payload, ...checksumOf(payload)]));
}

/** The payload before a valid checksum of base58check, or null. */
export function base58Payload(coder: BytesCoder, text: string): Uint8Array | null {
  const bytes = decoded(coder.decode, text);
  if (bytes === null || bytes.length <= CHECKSUM_BYTES) return null;
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  return Buffer.compare(checksumOf(payload), bytes.subarray(-CHECKSUM_BYTES)) === 0 ? payload : null;
}

const checksumOf = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes)).subarray(0, CHECKSUM_BYTES);
