/** Text in the results of contracts (Solidity ABI, "dynamic types"), such as a token's symbol. */

const WORD = 64;
const STRING_AT = '20'.padStart(WORD, '0');
const LONGEST_BYTES = 1_000;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Why the `answer` of a contract's symbol(), hex without `0x`, is not the expected one; null where
 * it is.
 */
export function otherSymbol(contract: string, answer: string | undefined, expected: string): string | null {
  const found = answer === undefined ? null : abiText(answer);
  if (found === expected) return null;
  return `${contract} says ${found === null ? 'no symbol' : `the symbol ${JSON.stringify(found)}`}, the catalog ${JSON.stringify(expected)}`;
}

/**
 * `hex` without `0x`: one string, or the 32 zero-padded bytes that old tokens return. Null for
 * anything else.
 */
export function abiText(hex: string): string | null {
  if (hex.length === WORD) return decoded(hex.replace(/(?:00)+$/, ''));
  if (!hex.startsWith(STRING_AT) || hex.length < 2 * WORD) return null;
  const bytes = BigInt(`0x${hex.slice(WORD, 2 * WORD)}`);
  const text = hex.slice(2 * WORD);
  return bytes > LONGEST_BYTES || text.length < 2 * Number(bytes)
    ? null
    : decoded(text.slice(0, 2 * Number(bytes)));
}

function decoded(hex: string): string | null {
  try {
    return UTF8.decode(Buffer.from(hex, 'hex'));
  } catch {
    return null;
  }
}
