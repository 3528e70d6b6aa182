/**
 * Reads values as clients mean them, before a body is checked against its schema (decision 0002).
 * PHP has one type for lists and objects and sends form fields as text. Other clients send an empty
 * text for an absent value.
 */
import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox';
import { type Decimal, parseDecimal, withoutNoise } from '../../../../domain/money/decimal.ts';
import { exactNumber } from '../../../../domain/money/exact-number.ts';
import type { JsonObject, JsonValue } from '../../../../domain/money/json.ts';
import { decimalOf, isEmptyList, isJsonObject } from './exact-json.ts';
import { withoutNull } from './schema.ts';

/**
 * The body as it is meant. An optional field is removed when it is null or an empty text that
 * stands for none.
 */
export function asMeant(schema: TSchema, body: JsonObject): JsonObject {
  let copy: Record<string, JsonValue> | null = null;
  for (const [key, property] of Object.entries<TSchema>(schema.properties)) {
    const given = body[key];
    if (given === undefined) continue;
    const meant = saysNothing(property, given) ? undefined : meaningOf(property, given);
    if (meant === given) continue;
    copy ??= { ...body };
    if (meant === undefined) delete copy[key];
    else copy[key] = meant;
  }
  return copy ?? body;
}

function saysNothing(schema: TSchema, given: JsonValue): boolean {
  if (schema[Kind] === 'Union') return false;
  return OptionalKind in schema && (given === null || (given === '' && schema.blank === 'absent'));
}

function meaningOf(field: TSchema, given: JsonValue): JsonValue {
  const schema = withoutNull(field);
  switch (schema[Kind]) {
    case 'ExactDecimal':
      return numberMeant(given, schema.maxDecimals);
    case 'WholeNumber':
      return numberMeant(given, 0);
    case 'Flag':
      return FLAGS.get(given) ?? given;
    case 'FreeObject':
      return isEmptyList(given) ? {} : given;
    case 'Object':
      return isJsonObject(given) ? asMeant(schema, given) : given;
    case 'Array':
      return Array.isArray(given) ? given.map((item: JsonValue) => meaningOf(schema.items, item)) : given;
    default:
      return given;
  }
}

const FLAGS: ReadonlyMap<JsonValue, boolean> = new Map<JsonValue, boolean>([
  [1, true],
  [0, false],
  ['1', true],
  ['0', false],
]);

/** A text of digits is a number. The noise of binary floats is removed. */
function numberMeant(given: JsonValue, decimals: number | undefined): JsonValue {
  const value = typeof given === 'string' ? parseDecimal(given) : decimalOf(given);
  if (value === null) return given;
  const meant = decimals === undefined ? value : (withoutNoise(value, decimals) ?? value);
  return meant === value && typeof given !== 'string' ? given : numberOf(meant);
}

function numberOf({ digits, scale }: Decimal): JsonValue {
  return exactNumber(digits, scale);
}
