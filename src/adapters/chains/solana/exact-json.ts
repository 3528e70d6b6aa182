/**
 * Parses JSON of nodes exactly: lamports are JSON numbers, and a balance of nine million SOL is
 * more than a double holds.
 */

/**
 * A whole number of 16 or more digits as a value. A match within a string is possible, and only
 * costs time.
 */
const LARGE_INTEGER = /[:[,]\s*\d{16,}\s*[,\]}]/;

/**
 * Like JSON.parse, but integers beyond 2^53 become bigints. Throws SyntaxError when `text` is not
 * JSON.
 */
export function parseExactly(text: string): unknown {
  // A reviver takes many times as long for a large block, so it is used only where it is needed.
  return LARGE_INTEGER.test(text)
    ? JSON.parse(text, withSource as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}

/** TypeScript's library does not yet declare the third argument (JSON.parse source text access). */
function withSource(_key: string, value: unknown, { source }: { readonly source: string }): unknown {
  return typeof value === 'number' && /^\d{16,}$/.test(source) ? BigInt(source) : value;
}
