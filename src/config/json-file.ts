/**
 * JSON files that operators write, checked against a TypeBox schema, with one fault per wrong
 * place.
 */
import { FormatRegistry, type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';
import type { ConfigError } from './config-error.ts';

const DECIMAL = 'quittance-positive-decimal';
FormatRegistry.Set(DECIMAL, (text) => isDecimal(text) && /[1-9]/.test(text));

const HTTP_URL = 'quittance-http-url';
FormatRegistry.Set(HTTP_URL, (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''));

/** `description` completes the sentence "must be ..." of a fault. */
export const closed = { additionalProperties: false, description: 'an object' };
export const Decimal = Type.String({ format: DECIMAL, description: 'a decimal above zero, as a string' });

/**
 * A key in the docs: its default and its purpose. docs/configuration.md shows both beside the
 * schema's own `description` of its values.
 */
export const documented = <T extends TSchema>(schema: T, without: string, doc: string): T => ({
  ...schema,
  without,
  doc,
});
export const optional = <T extends TSchema>(schema: T, without: string, doc: string) =>
  Type.Optional(documented(schema, without, doc));

/** An object with a key for each of `names`; `placeholder` stands for any of them in the docs. */
export const named = <T extends TSchema>(
  placeholder: string,
  names: readonly string[],
  each: (name: string) => T,
) =>
  Type.Optional(
    Type.Unsafe<Readonly<Record<string, Static<T>>>>(
      Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(each(name))])), {
        ...closed,
        placeholder,
      }),
    ),
  );

export const HttpUrl = Type.String({ format: HTTP_URL, description: 'an http(s) URL' });
export const Text = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'text of 1 to 500 characters',
});
export const whole = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description: `a whole number, ${minimum} to ${maximum}` });

export const Urls = Type.Array(HttpUrl, {
  minItems: 1,
  description: 'a list of at least one http(s) URL',
});

export function isDecimal(text: string): boolean {
  return /^\d{1,30}(\.\d{1,30})?$/.test(text);
}

/**
 * Undefined if the file cannot be read or is no JSON, with a fault of `name`, the variable that
 * contains the path.
 */
export function readJson(
  name: string,
  path: string,
  files: { read(path: string): string },
  faults: ConfigError[],
): unknown {
  let text: string;
  try {
    text = files.read(path);
  } catch (error) {
    faults.push({ path: name, message: `${path} cannot be read: ${(error as Error).message}` });
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    faults.push({ path: name, message: `${path} is not JSON: ${(error as Error).message}` });
    return undefined;
  }
}

/**
 * One fault per place, in the order of the schema. A fault of the whole file has the path `name`.
 */
export function schemaFaults(json: unknown, schema: TSchema, name: string): readonly ConfigError[] {
  const faults = new Map<string, string>();
  for (const error of [...Value.Errors(schema, json)].flatMap(withinUnion)) {
    const path = error.path.slice(1).split('/').map(unescapePointer).join('.') || name;
    if (!faults.has(path)) faults.set(path, describe(error));
  }
  return [...faults].map(([path, message]) => ({ path, message }));
}

/** For a union, the faults inside the intended member: the one whose kind matches. */
function withinUnion(error: ValueError): readonly ValueError[] {
  if (error.type !== ValueErrorType.Union) return [error];
  const inside = error.errors.map((errors) => [...errors]);
  return inside.find((errors) => errors.every(({ path }) => path !== error.path)) ?? [error];
}

function describe(error: ValueError): string {
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    return `is unknown here; known: ${Object.keys(error.schema.properties ?? {}).join(', ')}`;
  }
  const expected = `must be ${error.schema.description}`;
  const isUnquoted = typeof error.value === 'number' && error.schema.type === 'string';
  return isUnquoted ? `${expected}: put the number in quotes ("${String(error.value)}")` : expected;
}

/** JSON Pointer (RFC 6901, section 4). */
function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
