/** JSON of nodes, exactly: lamports are JSON numbers, and a balance of nine million SOL is beyond what a double holds. */

/** A whole number of 16 digits and more where a value stands. Within a text it may match as well, and then only costs time. */
const LARGE_INTEGER = /[:[,]\s*\d{16,}\s*[,\]}]/;

/** As JSON.parse, but integers beyond 2^53 become bigints. Throws SyntaxError when `text` is not JSON. */
export function parseExactly(text: string): unknown {
  // With a reviver a large block takes many times as long: only where it is needed.
  return LARGE_INTEGER.test(text)
    ? JSON.parse(text, withSource as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}

/** The third argument is part of the language (JSON.parse source text access) but not yet of the compiler's library. */
function withSource(_key: string, value: unknown, { source }: { readonly source: string }): unknown {
  return typeof value === 'number' && /^\d{16,}$/.test(source) ? BigInt(source) : value;
}
