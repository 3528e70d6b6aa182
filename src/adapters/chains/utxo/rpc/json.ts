/**
 * JSON of nodes: amounts are decimals there, so every number that is no whole one stays the text
 * that it was.
 */

/**
 * The third argument is part of the language (JSON.parse source text access) but not yet of the
 * compiler's library.
 */
function withSource(_key: string, value: unknown, context: { readonly source: string }): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? context.source : value;
}

/** Throws SyntaxError when `text` is not JSON. */
export function parseKeepingDecimals(text: string): unknown {
  return JSON.parse(text, withSource as (key: string, value: unknown) => unknown);
}
