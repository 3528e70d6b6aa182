/**
 * Turns the routes' schemas into plain JSON Schema for the document, with named components and
 * without internal marks.
 */
import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonRecord = { [key: string]: Json };

const OWN_MARKS: ReadonlySet<string> = new Set(['$id', 'blank', 'maxDecimals', 'patternHint']);

/** Collects the named schemas, so that the document has each once. */
export class Components {
  readonly schemas: JsonRecord = {};

  /** A reference to a named schema, or the schema itself. */
  of(schema: TSchema): Json {
    const name = schema.$id;
    if (name === undefined) return this.#plain(schema);
    this.schemas[name] ??= this.#plain(schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  /**
   * The schema of a request body (lenient.ts): a number may also be a string of digits. An optional
   * field may be null, which means absent.
   */
  ofBody(schema: TSchema): Json {
    const plain = this.#plain(schema) as JsonRecord;
    if (schema.type === 'array') return { ...plain, items: this.ofBody(schema.items) };
    if (schema[Kind] !== 'Object') return orText(plain);
    const properties: JsonRecord = {};
    for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
      const inner = this.ofBody(property);
      properties[name] = OptionalKind in property ? orNull(inner as JsonRecord) : inner;
    }
    return { ...plain, properties };
  }

  #plain(value: unknown): Json {
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (typeof value !== 'object' || value === null) return value as Json;
    const plain: JsonRecord = {};
    for (const [key, inner] of Object.entries(value)) {
      if (!OWN_MARKS.has(key)) plain[key] = this.#value(inner);
    }
    return plain;
  }

  #value(value: unknown): Json {
    const named =
      typeof value === 'object' && value !== null && '$id' in value && typeof value.$id === 'string';
    return named ? this.of(value as TSchema) : this.#plain(value);
  }
}

const DIGITS: Readonly<Record<string, string>> = {
  number: '^-?[0-9]+([.][0-9]+)?$',
  integer: '^[0-9]+$',
};

function orText(schema: JsonRecord): JsonRecord {
  const pattern = DIGITS[String(schema.type)];
  if (pattern === undefined) return schema;
  const { description, examples, ...number } = schema;
  return {
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
    anyOf: [number, { type: 'string', pattern }],
  };
}

function orNull(schema: JsonRecord): JsonRecord {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'object'];
  return {
    ...schema,
    type: [...types, 'null'],
    ...(Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}),
  };
}
