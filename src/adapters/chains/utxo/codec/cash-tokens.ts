/**
 * CashTokens (CHIP-2022-02): on Bitcoin Cash an output's script may have a prefix that adds tokens.
 * Such an output is never spent as a plain UTXO, which would destroy the tokens (safety.md U8).
 */
import { ByteReader, MalformedBytes } from './byte-reader.ts';

const PREFIX_TOKEN = 0xef;
const CATEGORY_BYTES = 32;
const RESERVED_BIT = 0x80;
const HAS_COMMITMENT = 0x40;
const HAS_NFT = 0x20;
const HAS_AMOUNT = 0x10;
const CAPABILITY = 0x0f;
const CAPABILITY_MAX = 2;

/**
 * The script behind the prefix, or null without one. A malformed prefix is none: such a script
 * cannot be spent.
 */
export function scriptBehindTokens(script: Uint8Array): Uint8Array | null {
  if (script[0] !== PREFIX_TOKEN) return null;
  const reader = new ByteReader(script);
  try {
    reader.skip(1 + CATEGORY_BYTES);
    const bits = reader.byte();
    if (!isBitfield(bits)) return null;
    if (bits & HAS_COMMITMENT) {
      const length = reader.compactSize();
      if (length === 0) return null;
      reader.skip(length);
    }
    if (bits & HAS_AMOUNT && !skipAmount(reader)) return null;
    return reader.take(reader.left);
  } catch (error) {
    if (error instanceof MalformedBytes) return null;
    throw error;
  }
}

function isBitfield(bits: number): boolean {
  if (bits & RESERVED_BIT || (bits & CAPABILITY) > CAPABILITY_MAX) return false;
  if (bits & HAS_NFT) return true;
  return (bits & HAS_AMOUNT) !== 0 && (bits & (HAS_COMMITMENT | CAPABILITY)) === 0;
}

/** Amounts reach 2^63 - 1, more than a length may be. */
function skipAmount(reader: ByteReader): boolean {
  const first = reader.byte();
  if (first < 0xfd) return first > 0;
  reader.skip(first === 0xfd ? 2 : first === 0xfe ? 4 : 8);
  return true;
}
