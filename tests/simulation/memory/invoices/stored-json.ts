/** Free-form JSON as the database gives it back: it is stored as text. */
import { jsonOf } from '../../../../src/adapters/postgres/client/json-text.ts';
import type { JsonObject } from '../../../../src/domain/money/json.ts';

export function storedJson(value: JsonObject | null): JsonObject | null {
  return value === null ? null : jsonOf(JSON.stringify(value));
}
