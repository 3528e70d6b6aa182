/**
 * EVM address text: EIP-55 checksummed for display, lower case as the key under which addresses are
 * stored and compared.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';

const HEX_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** The EIP-55 form of a 20-byte address given as 40 lower-case hex digits without `0x`. */
export function checksumAddress(lowerHex: string): string {
  const digest = keccak_256(Buffer.from(lowerHex, 'latin1'));
  let text = '0x';
  for (let position = 0; position < 40; position++) {
    const byte = digest[position >> 1]!;
    const nibble = position % 2 === 0 ? byte >> 4 : byte & 15;
    const digit = lowerHex[position]!;
    text += nibble >= 8 ? digit.toUpperCase() : digit;
  }
  return text;
}

/**
 * Lower-case form, or null when it is not an EVM address. Mixed case must be a valid EIP-55
 * checksum, so that a typing error is refused.
 */
export function normalizeEvmAddress(address: string): string | null {
  if (!HEX_ADDRESS.test(address)) return null;
  const digits = address.slice(2);
  const lower = digits.toLowerCase();
  const oneCase = digits === lower || digits === digits.toUpperCase();
  return oneCase || checksumAddress(lower) === address ? `0x${lower}` : null;
}
