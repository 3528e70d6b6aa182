/**
 * The leaf types of request bodies as TypeBox kinds: exact decimals, whole numbers, text counted in
 * characters, choices and free JSON objects. Each has its check, its JSON Schema and its error
 * message.
 */
import {
  Kind,
  type TNull,
  type TSchema,
  type TUnion,
  type TUnsafe,
  Type,
  TypeRegistry,
} from '@sinclair/typebox';
import { type Decimal, toUnits } from '../../../../domain/money/decimal.ts';
import type { ExactNumber } from '../../../../domain/money/exact-number.ts';
import type { JsonObject } from '../../../../domain/money/json.ts';
import { decimalOf, isExactNumber, isJsonObject } from './exact-json.ts';

/** The largest amount in whole units. No arithmetic on such amounts exceeds numeric(78,0). */
export const MAX_AMOUNT = 1_000_000_000_000_000;

interface Documentation {
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

interface NumberBounds extends Documentation {
  readonly exclusiveMinimum?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** What the checks below read from a schema that was made here. */
interface LeafSchema extends NumberBounds {
  readonly maxDecimals?: number;
  readonly blank?: 'absent';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly patternHint?: string;
  readonly enum?: readonly string[];
}

/** A number with its exact decimals. A string of digits is accepted as well (lenient.ts). */
export function ExactDecimal(
  options: NumberBounds & { readonly maxDecimals?: number },
): TUnsafe<number | ExactNumber> {
  return Type.Unsafe({ [Kind]: 'ExactDecimal', type: 'number', ...options });
}

/** An ExactDecimal without decimals. */
export function WholeNumber(
  options: Documentation & { readonly minimum: number; readonly maximum: number },
): TUnsafe<number | ExactNumber> {
  return Type.Unsafe({ [Kind]: 'WholeNumber', type: 'integer', ...options });
}

/**
 * Text whose length is counted in characters (code points), as JSON Schema does. `blank: 'absent'`:
 * an empty text counts as absent (lenient.ts).
 */
export function Text(
  options: Documentation & {
    readonly minLength?: number;
    readonly maxLength: number;
    readonly pattern?: string;
    readonly patternHint?: string;
    readonly blank?: 'absent';
  },
): TUnsafe<string> {
  return Type.Unsafe({ [Kind]: 'Text', type: 'string', ...options });
}

export function OneOf<const Value extends string>(
  values: readonly Value[],
  options: Documentation = {},
): TUnsafe<Value> {
  return Type.Unsafe({ [Kind]: 'OneOf', type: 'string', enum: [...values], ...options });
}

export function Flag(options: Documentation = {}): TUnsafe<boolean> {
  return Type.Unsafe({ [Kind]: 'Flag', type: 'boolean', ...options });
}

/** A time as in the query of a list: a text, or Unix seconds (list-query.ts reads it). */
export function Moment(options: Documentation = {}): TUnsafe<string | number> {
  return Type.Unsafe({ [Kind]: 'Moment', type: ['string', 'integer'], ...options });
}

/** Any JSON object. `properties` is documentation only. */
export function FreeObject(
  options: Documentation & { readonly properties?: Readonly<Record<string, unknown>> } = {},
): TUnsafe<JsonObject> {
  return Type.Unsafe({ [Kind]: 'FreeObject', type: 'object', additionalProperties: true, ...options });
}

/** A field of a change: null removes what was set (RFC 7396). */
export function Clearable<Inner extends TSchema>(inner: Inner): TUnion<[Inner, TNull]> {
  return Type.Union([inner, Type.Null()]);
}

/** The exact decimal of an amount field that passed the check. Throws for another value. */
export function decimal(value: number | ExactNumber): Decimal {
  const parsed = decimalOf(value);
  if (parsed === null) throw new Error('an amount field was read before it was checked');
  return parsed;
}

/** The integer of a WholeNumber field that passed the check. */
export function whole(value: number | ExactNumber): number {
  return Number(decimal(value).digits);
}

const LEAVES: Readonly<Record<string, (schema: LeafSchema, value: unknown) => string | null>> = {
  ExactDecimal(schema, value) {
    const read = decimalOf(value);
    if (read !== null) return outOfBounds(schema, read);
    return typeof value === 'number' || isExactNumber(value)
      ? 'must be a number of at most 80 digits'
      : 'must be a number';
  },
  WholeNumber(schema, value) {
    const read = decimalOf(value);
    return read === null || read.scale > 0 ? 'must be a whole number' : outOfBounds(schema, read);
  },
  Text(schema, value) {
    if (typeof value !== 'string') return 'must be a string';
    const { minLength = 0, maxLength = 0 } = schema;
    if (value.length < minLength)
      return minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`;
    if (value.length > 2 * maxLength || (value.length > maxLength && charactersIn(value) > maxLength)) {
      return `must have at most ${maxLength} characters`;
    }
    if (schema.pattern !== undefined && !patternOf(schema.pattern).test(value)) {
      return schema.patternHint ?? `must match ${schema.pattern}`;
    }
    return null;
  },
  OneOf(schema, value) {
    const values = schema.enum ?? [];
    return typeof value === 'string' && values.includes(value) ? null : `must be one of ${values.join(', ')}`;
  },
  Moment: (_, value) =>
    typeof value === 'string' || Number.isSafeInteger(value) ? null : 'must be a datetime or Unix seconds',
  Flag: (_, value) => (typeof value === 'boolean' ? null : 'must be true or false'),
  FreeObject: (_, value) => (isJsonObject(value) ? null : 'must be an object'),
};

for (const [kind, fault] of Object.entries(LEAVES)) {
  TypeRegistry.Set<LeafSchema>(kind, (schema, value) => fault(schema, value) === null);
}

/**
 * The fault of `value`, to complete a sentence that begins with the field's name. Null for a kind
 * of TypeBox itself.
 */
export function leafFault(schema: TSchema, value: unknown): string | null {
  const leaf = withoutNull(schema);
  return LEAVES[leaf[Kind]]?.(leaf as LeafSchema, value) ?? null;
}

/** What a Clearable field is unless it is null; any other schema itself. */
export function withoutNull(schema: TSchema): TSchema {
  return schema[Kind] === 'Union' ? schema.anyOf[0] : schema;
}

function outOfBounds(schema: LeafSchema, value: Decimal): string | null {
  const { exclusiveMinimum, minimum, maximum, maxDecimals } = schema;
  if (exclusiveMinimum !== undefined && compare(value, exclusiveMinimum) <= 0)
    return `must be above ${exclusiveMinimum}`;
  const tooLow = minimum !== undefined && compare(value, minimum) < 0;
  const tooHigh = maximum !== undefined && compare(value, maximum) > 0;
  if (tooLow || tooHigh) {
    return minimum === undefined ? `must be at most ${maximum}` : `must be between ${minimum} and ${maximum}`;
  }
  if (maxDecimals !== undefined && toUnits(value, maxDecimals) === null)
    return `must have at most ${maxDecimals} decimals`;
  return null;
}

/** The sign of `value - bound`, for a whole bound. */
function compare(value: Decimal, bound: number): number {
  const scaled = BigInt(bound) * 10n ** BigInt(value.scale);
  return value.digits < scaled ? -1 : value.digits > scaled ? 1 : 0;
}

/** The number of characters (code points) of a text. */
export function charactersIn(text: string): number {
  return Array.from(text).length;
}

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (!pattern) {
    pattern = new RegExp(source, 'u');
    patterns.set(source, pattern);
  }
  return pattern;
}
