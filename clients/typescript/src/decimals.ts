/**
 * JSON whose amounts are numbers on the wire, and keep their exact digits on this side where that
 * is asked.
 */
import { DECIMAL_FIELDS, FREE_FIELDS } from './generated/fields.ts';

/** How amounts are told: as JavaScript's numbers, or exactly, as strings of digits. */
export type Decimals = 'number' | 'string';

/**
 * A name with its colon, and the digits or the brace that follow; strings that are no names;
 * braces.
 */
const WITH_NUMBERS = /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)(?:(-?\d[\d.eE+-]*)|(\{))?)?|[{}]/g;
const WITH_STRINGS = /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)(?:"(-?(?:0|[1-9]\d*)(?:\.\d+)?)"|(\{))?)?|[{}]/g;

/** Throws a SyntaxError where the text is no JSON. */
export function parseJson(text: string, decimals: Decimals): unknown {
  return JSON.parse(decimals === 'string' ? rewritten(text, WITH_NUMBERS, (digits) => `"${digits}"`) : text);
}

/** Amounts that are strings of digits become numbers with these digits. */
export function writeJson(value: unknown): string {
  return rewritten(JSON.stringify(value), WITH_STRINGS, (digits) => digits);
}

/**
 * The text with its amounts written otherwise. Objects of the merchant's own making are left as
 * they are.
 */
function rewritten(text: string, tokens: RegExp, write: (digits: string) => string): string {
  let depth = 0;
  /** How deep the merchant's own object is that we are in. */
  let own = Number.POSITIVE_INFINITY;
  return text.replace(tokens, (token, name?: string, colon?: string, digits?: string, opens?: string) => {
    if (token === '}') {
      if (depth === own) own = Number.POSITIVE_INFINITY;
      depth -= 1;
      return token;
    }
    const field = name?.slice(1, -1) ?? '';
    if (token === '{' || opens !== undefined) {
      depth += 1;
      if (depth < own && FREE_FIELDS.has(field)) own = depth;
      return token;
    }
    const isAmount = digits !== undefined && depth < own && DECIMAL_FIELDS.has(field);
    return isAmount ? `${name}${colon}${write(digits)}` : token;
  });
}
