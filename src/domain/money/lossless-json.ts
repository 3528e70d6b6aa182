/**
 * Reads JSON without ever making a number of it: every JSON number becomes its source text, so no
 * digit is lost.
 */

/** Throws SyntaxError when `text` is not JSON. Numbers and strings both arrive as strings. */
export function parseNumbersAsText(text: string): unknown {
  return JSON.parse(text, withSource as (key: string, value: unknown) => unknown);
}

/**
 * The member under the given names, one level each; undefined where the way ends. Indexes of lists
 * count as names.
 */
export function member(value: unknown, ...names: readonly string[]): unknown {
  let current = value;
  for (const name of names) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Readonly<Record<string, unknown>>)[name];
  }
  return current;
}

/**
 * The third argument is part of the language (JSON.parse source text access) but not yet of the
 * compiler's library.
 */
function withSource(_key: string, value: unknown, context: { readonly source: string }): unknown {
  return typeof value === 'number' ? context.source : value;
}
