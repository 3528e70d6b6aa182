/** JSON values whose numbers keep their exact decimals (exact-number.ts). */
import type { ExactNumber } from './exact-number.ts';

export type JsonValue = null | boolean | number | string | ExactNumber | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
