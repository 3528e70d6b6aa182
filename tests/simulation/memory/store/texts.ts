/** Texts as functions of PostgreSQL see and keep them. */
import { jsonOf } from '../../../../src/adapters/postgres/client/json-text.ts';
import type { JsonObject } from '../../../../src/domain/money/json.ts';

/** `lower` in the locale C: of A to Z alone. */
export function lowered(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** As it is read from a column of JSON text: an own copy, without what JSON has not. */
export function storedJson(value: JsonObject): JsonObject {
  return jsonOf(JSON.stringify(value));
}
