/**
 * JSON whose numbers keep their exact decimals in both directions (decision 0001). Reading is
 * defensive: depth is limited, prototype keys are dropped, and repeated keys are refused on request
 * (safety.md, "Hostile input").
 */

import type { FieldError } from '../../../../domain/errors.ts';
import { type Decimal, parseDecimal } from '../../../../domain/money/decimal.ts';
import type { ExactNumber } from '../../../../domain/money/exact-number.ts';
import type { JsonObject, JsonValue } from '../../../../domain/money/json.ts';
import { firstRepeatedKey, nestingDepth } from './json-scan.ts';

// ES2025 "JSON.parse source text access"; the compiler's library does not declare it everywhere.
const exact = JSON as unknown as {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber & { readonly rawJSON: string };
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
};

const MAX_DEPTH = 16;
const DROPPED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export type JsonReading =
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'refused'; readonly faults: readonly FieldError[] };

/**
 * Reads a JSON object. A number that a binary float prints in another way (1.50, 1e3, 20 digits)
 * becomes an ExactNumber with its own text. Others stay numbers, which are exact then.
 */
export function parseExactJson(
  text: string,
  options: { refuseRepeatedKeys: boolean; emptyList?: boolean },
): JsonReading {
  if (nestingDepth(text, MAX_DEPTH) > MAX_DEPTH) {
    return refused('body', `must not be nested more than ${MAX_DEPTH} levels deep`);
  }
  let value: unknown;
  try {
    value = exact.parse(text, keepExact);
  } catch {
    return { kind: 'malformed' };
  }
  if (options.emptyList && isEmptyList(value)) return { kind: 'object', value: {} };
  if (!isJsonObject(value)) return { kind: 'malformed' };
  const repeated = options.refuseRepeatedKeys ? firstRepeatedKey(text) : null;
  if (repeated !== null) return refused(repeated, 'is given more than once');
  const faults = needsWalk(text) ? unstorable(value) : [];
  return faults.length > 0 ? { kind: 'refused', faults } : { kind: 'object', value };
}

/** Writes JSON; ExactNumbers leave with their exact decimals. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value);
}

export function isExactNumber(value: unknown): value is ExactNumber & { readonly rawJSON: string } {
  return exact.isRawJSON(value);
}

/** PHP's empty array, which also stands for an empty object. */
export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * Whether it is a JSON object: not an array, not null, not an ExactNumber, which is an object in
 * JavaScript.
 */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** The decimal value of a number in a body. Null when it is not a number, or is absurdly long. */
export function decimalOf(value: unknown): Decimal | null {
  if (typeof value === 'number') return parseDecimal(String(value));
  return isExactNumber(value) ? parseDecimal(value.rawJSON) : null;
}

function keepExact(key: string, value: unknown, context: { source?: string }): unknown {
  if (DROPPED_KEYS.has(key)) return undefined;
  if (typeof value !== 'number' || String(value) === context.source) return value;
  return exact.rawJSON(context.source ?? String(value));
}

function refused(field: string, message: string): JsonReading {
  return { kind: 'refused', faults: [{ field, message }] };
}

/**
 * A cheap test before the walk: NUL and lone surrogates need an escape, since the body was valid
 * UTF-8, and an absurd number needs many digits or an exponent.
 */
function needsWalk(text: string): boolean {
  return /\\u|\d{60}|\d[eE][+-]?\d{2}/.test(text);
}

/**
 * The paths of values that PostgreSQL's text and jsonb refuse: NUL, lone surrogates, huge numbers.
 */
function unstorable(root: JsonObject): FieldError[] {
  const faults: FieldError[] = [];
  const visit = (value: JsonValue, path: string): void => {
    if (typeof value === 'string') {
      if (!isStorableText(value)) faults.push({ field: path, message: UNSTORABLE_TEXT });
    } else if (Array.isArray(value)) {
      value.forEach((item: JsonValue, index) => {
        visit(item, `${path}.${index}`);
      });
    } else if (isJsonObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        const field = path === '' ? key : `${path}.${key}`;
        if (isStorableText(key)) visit(inner, field);
        else faults.push({ field: path === '' ? 'body' : path, message: UNSTORABLE_TEXT });
      }
    } else if (isExactNumber(value) && parseDecimal(value.rawJSON) === null) {
      faults.push({ field: path, message: 'must be a number of at most 80 digits' });
    }
  };
  visit(root, '');
  return faults;
}

export const UNSTORABLE_TEXT = 'must not contain NUL or unpaired surrogate characters';

/** False for text with U+0000 or half of a surrogate pair, which PostgreSQL cannot store. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
