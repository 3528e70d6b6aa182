/**
 * What of an alarm's log line a notice keeps: plain JSON, bounded, since it also goes to services
 * of others. Secrets are masked before. Pure.
 */
import type { JsonObject, JsonValue } from '../money/json.ts';

const FIELDS_MAX = 24;
const ITEMS_MAX = 20;
const TEXT_MAX = 500;
const DEPTH_MAX = 3;

/** Never throws. What is too long is cut and ends in `…`. */
export function noticeFields(fields: Readonly<Record<string, unknown>>): JsonObject {
  return objectOf(fields, 1);
}

/** The chain and the asset of an alarm, which make it one of its own. */
export function noticeSubject({ chain, asset }: Readonly<Record<string, unknown>>): string {
  return [chain, asset]
    .filter((part) => typeof part === 'string')
    .map(cut)
    .join(' ');
}

function objectOf(fields: object, depth: number): JsonObject {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    kept.slice(0, FIELDS_MAX).map(([name, value]) => [cut(name), boundedOf(value, depth + 1)]),
  );
}

function boundedOf(value: unknown, depth: number): JsonValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return cut(String(value));
  if (depth > DEPTH_MAX) return '…';
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => boundedOf(item, depth + 1));
  return objectOf(value, depth);
}

/**
 * Without control characters, and without U+0000 and lone surrogates, which the database does not
 * store.
 */
function cut(text: string): string {
  const plain = text.toWellFormed().replace(/\p{Cc}+/gu, ' ');
  return shortened(plain, TEXT_MAX);
}

/** At most so many characters; the last one is an ellipsis where some are left out. */
export function shortened(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}
