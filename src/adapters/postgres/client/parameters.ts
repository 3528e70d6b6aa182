/**
 * Encodes parameters in PostgreSQL's text form. The server then infers each type from the
 * statement, so one statement is prepared once for all values, and no driver decides how a bigint
 * or an array is encoded.
 */
export type SqlScalar = string | number | bigint | boolean | null | Date;
export type SqlParameter = SqlScalar | Uint8Array | readonly SqlScalar[];

/**
 * The text form of one parameter; an array becomes an array literal. Throws on NaN, infinities,
 * invalid dates, and half a surrogate pair within an array: as UTF-8 it would become another text.
 */
export function encodeParameter(value: SqlParameter): string | null {
  if (typeof value === 'string' || value === null) return value;
  if (value instanceof Uint8Array) return `\\x${value.toHex()}`;
  if (isArray(value)) return `{${value.map(encodeElement).join(',')}}`;
  return encodeScalar(value);
}

function isArray(value: SqlParameter): value is readonly SqlScalar[] {
  return Array.isArray(value);
}

function encodeScalar(value: number | bigint | boolean | Date): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError('a SQL parameter is not finite');
  // toISOString throws on an invalid date.
  return value instanceof Date ? value.toISOString() : String(value);
}

function encodeElement(value: SqlScalar): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return encodeScalar(value);
  if (!value.isWellFormed()) throw new RangeError('a SQL parameter is not well-formed text');
  return ESCAPED.test(value) ? `"${value.replace(ALL_ESCAPED, '\\$&')}"` : `"${value}"`;
}

const ESCAPED = /["\\]/;
const ALL_ESCAPED = /["\\]/g;

/**
 * Makes `$n::jsonb` accept JSON text. The driver encodes a string again as JSON for a parameter of
 * a JSON type: `{"a":1}` would be stored as one JSON string. Through `text` the server parses it
 * and keeps decimals exact.
 */
export function castJsonThroughText(statement: string): string {
  return statement.includes('::json') ? statement.replace(JSON_CAST, '$1::text::$2') : statement;
}

const JSON_CAST = /(\$\d+)::(jsonb?)(?![\w[])/g;
