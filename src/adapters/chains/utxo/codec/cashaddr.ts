/**
 * cashaddr, the address text of Bitcoin Cash (its specification, with CHIP-2022-02-CashTokens for
 * the token-aware types and 32-byte script hashes). It handles text and hash only; address.ts
 * handles scripts.
 */
import { bech32 } from '@scure/base';

export interface CashAddress {
  readonly type: 'p2pkh' | 'p2sh';
  /** 20 bytes, or for P2SH 32 bytes. */
  readonly hash: Uint8Array;
}

export const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CHECKSUM_WORDS = 8;
/** Prefix, colon, version and 32-byte hash, checksum. */
const LENGTH_MAX = 80;
/**
 * By type bits. The last two say that the owner's wallet knows tokens; for plain payments they are
 * the same.
 */
const TYPES = ['p2pkh', 'p2sh', 'p2pkh', 'p2sh'] as const;
/** Hash lengths by size bits, as far as standard scripts use them. */
const SIZES: Readonly<Record<number, number>> = { 0: 20, 3: 32 };
/**
 * Generators of the BCH code, each of 40 bits as two halves of 20: bitwise operators of numbers
 * reach 32.
 */
const GENERATORS = [
  [0x98f2b, 0xc8e61],
  [0x79b76, 0xd99e2],
  [0xf33e5, 0xfb3c4],
  [0xae2ea, 0xbe2a8],
  [0x1e4f4, 0x3e470],
] as const;

/** Text with prefix, in lower case and of the plain type. */
export function encodeCashAddress(prefix: string, { type, hash }: CashAddress): string {
  const size = hash.length === 32 ? 3 : 0;
  const version = (TYPES.indexOf(type) << 3) | size;
  const payload = bech32.toWords(Uint8Array.of(version, ...hash));
  return cashaddrText(prefix, payload);
}

/** `payload` as words of 5 bits, with prefix and checksum. */
export function cashaddrText(prefix: string, payload: readonly number[]): string {
  const words = [...payload, ...checksum(prefix, payload)];
  return `${prefix}:${words.map((word) => ALPHABET[word]).join('')}`;
}

/** Null unless it is an address of `prefix`, all in one case. The text may omit the prefix. */
export function decodeCashAddress(prefix: string, text: string): CashAddress | null {
  const lower = text.toLowerCase();
  if (text.length > LENGTH_MAX || (text !== lower && text !== text.toUpperCase())) return null;
  const body = lower.startsWith(`${prefix}:`) ? lower.slice(prefix.length + 1) : lower;
  const words = Array.from(body, (letter) => ALPHABET.indexOf(letter));
  if (words.length <= CHECKSUM_WORDS || words.includes(-1)) return null;
  const payload = words.slice(0, -CHECKSUM_WORDS);
  if (checksum(prefix, payload).some((word, index) => word !== words[payload.length + index])) return null;
  const bytes = bech32.fromWordsUnsafe(payload);
  return bytes ? decodePayload(bytes) : null;
}

function decodePayload(bytes: Uint8Array): CashAddress | null {
  const version = bytes[0]!;
  const hash = bytes.subarray(1);
  // The version's highest bit is reserved: with it set the type is unknown.
  const type = TYPES[version >> 3];
  if (type === undefined || hash.length !== SIZES[version & 7]) return null;
  return type === 'p2pkh' && hash.length !== 20 ? null : { type, hash };
}

/** The eight words that complete prefix and payload to a code word. */
function checksum(prefix: string, payload: readonly number[]): readonly number[] {
  let high = 0;
  let low = 1;
  const take = (word: number): void => {
    const top = high >>> 15;
    high = ((high & 0x7fff) << 5) | (low >>> 15);
    low = ((low & 0x7fff) << 5) ^ word;
    GENERATORS.forEach(([generatorHigh, generatorLow], bit) => {
      if (((top >>> bit) & 1) === 0) return;
      high ^= generatorHigh;
      low ^= generatorLow;
    });
  };
  for (const letter of prefix) take(letter.charCodeAt(0) & 31);
  take(0);
  for (const word of payload) take(word);
  for (let left = CHECKSUM_WORDS; left > 0; left--) take(0);
  low ^= 1;
  const words = (half: number): number[] => [15, 10, 5, 0].map((shift) => (half >>> shift) & 31);
  return [...words(high), ...words(low)];
}
