/**
 * JSON Schemas of the API's answers, for its document. The presenters beside the routes make the
 * values.
 */
import { type TObject, type TSchema, Type } from '@sinclair/typebox';

const WITH_DESCRIPTION = (schema: object, description?: string): TSchema =>
  Type.Unsafe(description === undefined ? schema : { ...schema, description });

export const ID_SCHEMA = { type: 'string', pattern: '^[0-9a-f]{24}$' };

export const id = (description?: string) => WITH_DESCRIPTION(ID_SCHEMA, description);
export const string = (description?: string) => WITH_DESCRIPTION({ type: 'string' }, description);
export const number = (description?: string) => WITH_DESCRIPTION({ type: 'number' }, description);
export const integer = (description?: string) => WITH_DESCRIPTION({ type: 'integer' }, description);
export const boolean = (description?: string) => WITH_DESCRIPTION({ type: 'boolean' }, description);
export const unixTime = (description = 'Unix seconds') => WITH_DESCRIPTION({ type: 'integer' }, description);
export const oneOf = (values: readonly string[], description?: string) =>
  WITH_DESCRIPTION({ type: 'string', enum: [...values] }, description);
export const object = (description?: string) =>
  WITH_DESCRIPTION({ type: 'object', additionalProperties: true }, description);
export const list = (items: TSchema, description?: string) =>
  WITH_DESCRIPTION({ type: 'array', items }, description);
export const strings = (description?: string) =>
  WITH_DESCRIPTION({ type: 'array', items: { type: 'string' } }, description);

/** Absent values are sent as null (specification, "Conventions" 6). */
export function nullable(schema: TSchema): TSchema {
  const { type, enum: values } = schema as { type?: string; enum?: readonly unknown[] };
  if (type === undefined || schema.$id !== undefined)
    return Type.Unsafe({ anyOf: [schema, { type: 'null' }] });
  return Type.Unsafe({
    ...schema,
    type: [type, 'null'],
    ...(values === undefined ? {} : { enum: [...values, null] }),
  });
}

/**
 * An object with exactly these fields, all required. A name makes it a component of the document.
 */
export function view(name: string | null, properties: Readonly<Record<string, TSchema>>): TObject {
  return Type.Object(properties, { additionalProperties: false, ...(name === null ? {} : { $id: name }) });
}
