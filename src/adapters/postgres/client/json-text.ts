/**
 * Free-form JSON is stored as text, so that key order and exact decimals survive; numbers beyond a
 * float stay as written.
 */
import type { ExactNumber } from '../../../domain/money/exact-number.ts';
import type { JsonObject } from '../../../domain/money/json.ts';

// Part of the language since ES2025's "JSON.parse source text access"; the compiler's library does
// not declare it everywhere.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): ExactNumber };

export function jsonOf(text: string): JsonObject {
  const plain = JSON.parse(text);
  // If ordinary parsing reproduces the text, it lost nothing; only other texts need the slower way.
  return JSON.stringify(plain) === text ? plain : JSON.parse(text, keepNumberSource);
}

function keepNumberSource(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : rawJSON(context.source);
}
