/** CashAddr's 40-bit BCH code, an address checksum that no pinned package offers. */

const CASHADDR_GENERATORS = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];

/** CashAddr polymod over 5-bit words; zero over a whole valid address (prefix words, 0, payload, checksum). */
function cashaddrPolymod(words: readonly number[]): bigint {
  let remainder = 1n;
  for (const word of words) {
    const top = remainder >> 35n;
    remainder = ((remainder & 0x07ffffffffn) << 5n) ^ BigInt(word);
    CASHADDR_GENERATORS.forEach((generator, bit) => {
      if ((top >> BigInt(bit)) & 1n) remainder ^= generator;
    });
  }
  return remainder ^ 1n;
}

const cashaddrPrefixWords = (prefix: string): number[] => [
  ...Array.from(prefix, (letter) => letter.charCodeAt(0) & 31),
  0,
];

/** The eight checksum words that follow `payload` (5-bit words) under `prefix`. */
export function cashaddrChecksum(prefix: string, payload: readonly number[]): number[] {
  const code = cashaddrPolymod([...cashaddrPrefixWords(prefix), ...payload, 0, 0, 0, 0, 0, 0, 0, 0]);
  return Array.from({ length: 8 }, (_, position) => Number((code >> BigInt(5 * (7 - position))) & 31n));
}

/** Whether `words` (payload and checksum) are a valid CashAddr body under `prefix`. */
export function cashaddrValid(prefix: string, words: readonly number[]): boolean {
  return cashaddrPolymod([...cashaddrPrefixWords(prefix), ...words]) === 0n;
}
