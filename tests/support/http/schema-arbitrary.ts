/** Random values that fit a JSON Schema, and values that services choke on. */
import fc from 'fast-check';
import { anyText } from './any-text.ts';

export interface JsonSchema {
  readonly anyOf?: readonly JsonSchema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
}

/** Lists stay short: what a long one does is for a test of its own. */
const MAX_ITEMS = 4;

/**
 * Values that fit `schema`. Examples of the schema come up often, since most names mean something.
 */
export function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { examples = [], anyOf } = schema;
  const byType = anyOf?.map(fitting) ?? [schema.type ?? 'object'].flat().map((type) => ofType(type, schema));
  const examplesToo =
    examples.length === 0 ? [] : [{ arbitrary: fc.constantFrom(...examples), weight: 3 * byType.length }];
  return fc.oneof(...byType.map((arbitrary) => ({ arbitrary, weight: 1 })), ...examplesToo);
}

function ofType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum && type !== 'null') return fc.constantFrom(...schema.enum);
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000_000 });
    case 'number':
      return numbers(schema);
    case 'string':
      return strings(schema);
    case 'array':
      return fc.array(fitting(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS),
      });
    case 'object':
      return objects(schema);
    default:
      throw new Error(`no values for type ${type}`);
  }
}

/** Numbers of a few decimals, as people send them. */
function numbers({ minimum, exclusiveMinimum, maximum }: JsonSchema): fc.Arbitrary<number> {
  const low = minimum ?? exclusiveMinimum ?? -1_000;
  const high = Math.min(maximum ?? 1_000_000, 1_000_000);
  return fc
    .tuple(fc.integer({ min: Math.ceil(low * 100), max: high * 100 }), fc.constantFrom(1, 10, 100))
    .map(([hundredths, step]) => Math.round(hundredths / step) / (100 / step))
    .filter(
      (value) =>
        value >= low && value <= high && (exclusiveMinimum === undefined || value > exclusiveMinimum),
    );
}

function strings({ pattern, minLength = 0, maxLength = 40 }: JsonSchema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'));
  return anyText({ minLength, maxLength: Math.min(maxLength, 40) }).map((text) => text.replaceAll('\0', '0'));
}

function objects(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (!schema.properties)
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  const fields = Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, fitting(property)]),
  );
  const requiredKeys = (schema.required ?? []).filter((name) => name in fields);
  return fc.record(fields, { requiredKeys, noNullPrototype: true });
}

/** JSON texts that are unpleasant to receive as a value (safety.md, "Hostile input"). */
export const NASTY_VALUES: readonly string[] = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e3',
  '1e400',
  '1e-400',
  '0.1234567890123456789',
  '9007199254740993',
  '1'.repeat(100),
  '""',
  '"5"',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"javascript:alert(1)"',
  '"//evil.example"',
  '"https:\\\\\\\\evil.example"',
  '"http://[::1"',
  '"https://user:secret@host.example/"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"\'; drop table invoices; --"',
  `"${'x'.repeat(600)}"`,
  `"${'\u{1f600}'.repeat(100)}"`,
  '[]',
  '[null]',
  '[[]]',
  '[{}]',
  '{}',
  '{"a":{"b":[1.50]}}',
  '{"__proto__":{"amount":1},"constructor":{"prototype":1}}',
  `${'['.repeat(30)}${']'.repeat(30)}`,
];

export const NASTY_PARAMETERS: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '1.5',
  '0x10',
  '1e3',
  '٣',
  '9007199254740991',
  '9007199254740992',
  '99999999999999999999',
  'infinity',
  'now',
  'NaN',
  '2024-02-30T00:00:00Z',
  '2024-13-01',
  '1000000000000000000',
  '2024-01-01T00:00:00+99:00',
  '\0',
  'a\0b',
  '%',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'x'.repeat(3_000),
  "'; drop table invoices; --",
  ',',
  ',,',
];
