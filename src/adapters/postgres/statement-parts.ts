/** The parts of statement texts: columns, parameters, and lists of both (statement.ts). */
import { type AnyColumn, Column, type GetColumnData, getTableColumns, is, type SQL, sql } from 'drizzle-orm';
import { PgArray, type PgTable } from 'drizzle-orm/pg-core';
import { encodeParameter, type SqlParameter, type SqlScalar } from './client/parameters.ts';

export type Columns = Readonly<Record<string, AnyColumn>>;
type AsReadonly<Value> = Value extends (infer Element)[] ? readonly Element[] : Value;
export type ValueOf<Of extends AnyColumn> = AsReadonly<GetColumnData<Of>>;

/** A parameter that is not just a column's. */
export interface Parameter<Value> {
  encode(value: Value): SqlParameter;
  /** Its SQL in the text; `at` is `$1`, `$2` ... */
  place(at: string): SQL;
}

/** A parameter for each column of some rows. */
export interface RecordSet<Rows> {
  readonly width: number;
  encode(rows: Rows): readonly SqlParameter[];
  /** The table in the text; `places` are `$1`, `$2` ... */
  place(...places: readonly string[]): SQL;
}

/** One value, with a cast. */
interface Typed<Value> extends Parameter<Value> {
  readonly type: string;
  /** The name of its column in a record set; null outside one. */
  readonly name: string | null;
}

/** The values for columns and parameters. */
export type Asked<Of> = Of extends AnyColumn
  ? ValueOf<Of>
  : Of extends Parameter<infer Value> | RecordSet<infer Value>
    ? Value
    : never;

export function value<Value extends SqlParameter>(type: string): Typed<Value> {
  return typed(type, null, (given) => given);
}

export function listOf<Of extends AnyColumn>(column: Of): Parameter<readonly NonNullable<ValueOf<Of>>[]> {
  const encode = encoderOf(column);
  return typed(`${typeOf(column)}[]`, null, (list) => list.map((each) => encode(each) as SqlScalar));
}

export function nullable<Of extends AnyColumn>(column: Of): Typed<ValueOf<Of> | null> {
  return typed(typeOf(column), column.name, encoderOf(column));
}

/** A value of the column that its encoder has encoded already. */
export function encoded(column: AnyColumn): Typed<SqlParameter> {
  return typed(typeOf(column), column.name, (given) => given);
}

function typed<Value>(
  type: string,
  name: string | null,
  encode: (given: Value) => SqlParameter,
): Typed<Value> {
  return { type, name, encode, place: (at) => sql.raw(`${at}::${type}`) };
}

/** The fields of a record set. */
type Recorded = Readonly<Record<string, AnyColumn | Typed<never>>>;
type RecordOf<Of extends Recorded> = { readonly [Name in keyof Of]: Asked<Of[Name]> };

/**
 * Rows as a table of that name, with the columns' own names: `at(name, column)`. Each column is a
 * parameter, an array: PostgreSQL reads JSON objects in twice to three times the time, since it
 * looks up each name in each row. A field that is undefined is null. Throws if a column is an array
 * of anything but texts.
 */
export function records<Of extends Recorded>(name: string, fields: Of): RecordSet<readonly RecordOf<Of>[]> {
  const parts = Object.entries(fields).map(([from, field]) => partOf(from, field));
  const columns = commas(parts.map(({ to }) => sql`${sql.identifier(to)}`));
  // An array of arrays would be one array: such a column comes as texts.
  const nested = parts.filter(({ type }) => type.endsWith('[]'));
  const other = nested.find(({ type }) => type !== 'text[]');
  if (other !== undefined) throw new Error(`a record set cannot hold ${other.to}, a ${other.type}`);
  return {
    width: parts.length,
    encode: (rows) =>
      parts.map(({ from, encode }) => rows.map((row) => elementOf(encode(row[from]) ?? null))),
    place(...places) {
      const arrays = parts.map(({ type }, nth) =>
        sql.raw(`${places[nth]}::${type === 'text[]' ? type : `${type}[]`}`),
      );
      const table = sql`unnest(${commas(arrays)}) as ${sql.identifier(name)} (${columns})`;
      if (nested.length === 0) return table;
      const casts = parts.map(({ to, type }) => sql`${sql.identifier(to)}${sql.raw(`::${type}`)}`);
      return sql`(select ${commas(casts)} from ${table}) as ${sql.identifier(name)}`;
    },
  };
}

/** Its encoder is made at the first use. */
function partOf(from: string, field: AnyColumn | Typed<never>) {
  let encode: ((value: unknown) => SqlParameter) | null = null;
  return {
    from,
    to: field.name ?? from,
    type: is(field, Column) ? typeOf(field) : field.type,
    encode(given: unknown): SqlParameter {
      encode ??= (is(field, Column) ? encoderOf(field) : field.encode) as (value: unknown) => SqlParameter;
      return encode(given);
    },
  };
}

/** Arrays and bytes as their text. */
function elementOf(given: SqlParameter): SqlScalar {
  const isScalar = typeof given !== 'object' || given === null || given instanceof Date;
  return isScalar ? given : encodeParameter(given);
}

type Inserted<Of extends PgTable> = {
  readonly [Name in keyof Of['$inferInsert']]: SQL<AsReadonly<Exclude<Of['$inferInsert'][Name], undefined>>>;
};

/**
 * `insert into t (a, b) values ($1, $2)`: columns without a default that may not be null are
 * required.
 */
export function insertInto<Of extends PgTable>(table: Of, places: Inserted<Of>): SQL {
  return sql`insert into ${table} (${namesIn(table, places)}) values (${commas(Object.values<SQL>(places))})`;
}

/** `insert into t (a, b) select g.a, g.b`, to be followed by a `from`. */
export function insertSelect<Of extends PgTable>(table: Of, places: Inserted<Of>): SQL {
  return sql`insert into ${table} (${namesIn(table, places)}) select ${commas(Object.values<SQL>(places))}`;
}

/** `a = $2, b = $3`. */
export function set<Of extends PgTable>(table: Of, places: Partial<Inserted<Of>>): SQL {
  const given: readonly unknown[] = Object.values(places);
  return commas(columnsIn(table, places).map((column, nth) => sql`${names(column)} = ${given[nth]}`));
}

type WithId = PgTable & { readonly id: AnyColumn };

/** `update t set a = $2, b = $3 where id = $1`, returning the selected columns. */
export function updateById<Of extends WithId>(
  table: Of,
  { id, ...values }: { readonly id: SQL } & Partial<Inserted<Of>>,
  select: SQL,
): SQL {
  const changes = set<PgTable>(table, values);
  return sql`update ${table} set ${changes} where ${table.id} = ${id} returning ${select}`;
}

/**
 * The same for a record set `g` with these columns, and their ids once more: an index finds the
 * rows by them.
 */
export function updateAllById<Of extends WithId>(
  table: Of,
  values: Partial<Of['_']['columns']>,
  { rows, ids }: { readonly rows: SQL; readonly ids: SQL },
  select: SQL,
): SQL {
  return sql`
    update ${table} set ${set<PgTable>(table, columnsOf('g', values as Columns))} from ${rows}
    where ${table.id} = ${at('g', table.id)} and ${table.id} = any (${ids}) returning ${select}`;
}

/** `a = excluded.a, b = excluded.b`. */
export function toExcluded(...columns: readonly AnyColumn[]): SQL {
  return commas(columns.map((column) => sql`${names(column)} = ${at('excluded', column)}`));
}

/** `a, b`: the columns' own names, without their table. */
export function names(...columns: readonly AnyColumn[]): SQL {
  return commas(columns.map((column) => sql`${sql.identifier(column.name)}`));
}

/** `source.a`: the column in a CTE, a record set or `excluded`. */
export function at<Of extends AnyColumn>(source: string, column: Of): SQL<ValueOf<Of>> {
  return like(column, sql`${sql.identifier(source)}.${sql.identifier(column.name)}`);
}

/** All of them, each as by `at`. */
export function columnsOf<Of extends Columns>(
  source: string,
  columns: Of,
): { readonly [Name in keyof Of]: SQL<ValueOf<Of[Name]>> } {
  return mapped(columns, (column) => at(source, column)) as {
    readonly [Name in keyof Of]: SQL<ValueOf<Of[Name]>>;
  };
}

/** A column that is not null in any row that the statement finds. */
export function notNull<Of extends AnyColumn>(column: Of): SQL<NonNullable<ValueOf<Of>>> {
  return like(column, sql`${column}`) as SQL<NonNullable<ValueOf<Of>>>;
}

/** An expression with the column's type and decoder. */
export function like<Of extends AnyColumn>(column: Of, expression: SQL): SQL<ValueOf<Of>> {
  return (comesAsTyped(column) ? expression : expression.mapWith(column)) as SQL<ValueOf<Of>>;
}

/** The sum of a column: 0 without rows. */
export function total<Of extends AnyColumn>(column: Of, of: SQL = sql`true`): SQL<NonNullable<ValueOf<Of>>> {
  return like(column, sql`coalesce(sum(${column}) filter (where ${of}), 0)`) as SQL<NonNullable<ValueOf<Of>>>;
}

type Outer<Of extends Columns> = { readonly [Name in keyof Of]: SQL<ValueOf<Of[Name]> | null> };

/** The columns of the optional side of a join: each may be null. */
export function outer<Of extends Columns>(columns: Of): Outer<Of> {
  return mapped(columns, (column) => like(column, sql`${column}`)) as Outer<Of>;
}

/** The row of that side; null if it is missing. `key` shows that: it is never null in a row. */
export function ifThere<Row>(
  row: { readonly [Name in keyof Row]: Row[Name] | null },
  key: keyof Row,
): Row | null {
  return row[key] === null ? null : (row as Row);
}

export function commas(parts: readonly SQL[]): SQL {
  return sql.join([...parts], sql`, `);
}

/**
 * Encodes values for the gateway's client, and null, which drizzle's own encoders do not expect.
 */
export function encoderOf(column: AnyColumn): (value: unknown) => SqlParameter {
  if (comesAsTyped(column)) return (given) => (given ?? null) as SqlParameter;
  const encode = BY_NAME.get(column.mapToDriverValue) ?? ((given) => column.mapToDriverValue(given));
  return (given) => (given === null || given === undefined ? null : (encode(given) as SqlParameter));
}

/**
 * What drizzle encodes and decodes by, called by its name. Called as one of several functions, such
 * a constructor takes JavaScriptCore some 100 ns more: 20 invoices were read in 41 microseconds
 * instead of 13.
 */
export const BY_NAME: ReadonlyMap<unknown, (value: unknown) => unknown> = new Map<
  unknown,
  (value: unknown) => unknown
>([
  [BigInt, (value) => BigInt(value as string)],
  [Number, (value) => Number(value)],
  [String, (value) => String(value)],
]);

/**
 * The client takes and returns these as the schema types them (client/client.ts), so drizzle's
 * decoders are not needed.
 */
const AS_TYPED: ReadonlySet<string> = new Set([
  'PgBoolean',
  'PgInteger',
  'PgSmallInt',
  'PgText',
  'PgTimestamp',
  'PgUUID',
]);

export function comesAsTyped(column: AnyColumn): boolean {
  return is(column, PgArray) ? comesAsTyped(column.baseColumn) : AS_TYPED.has(column.columnType);
}

function columnsIn(table: PgTable, places: object): readonly AnyColumn[] {
  const columns: Columns = getTableColumns(table);
  return Object.keys(places).map((name) => {
    const column = columns[name];
    if (column === undefined) throw new Error(`there is no column ${name}`);
    return column;
  });
}

function namesIn(table: PgTable, places: object): SQL {
  return names(...columnsIn(table, places));
}

function mapped(columns: Columns, make: (column: AnyColumn) => SQL): Readonly<Record<string, SQL>> {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, make(column)]));
}

/**
 * Without precision and scale: casting to them would check each value, which its column does
 * anyway.
 */
function typeOf(column: AnyColumn): string {
  return column.getSQLType().replace(/\(.*\)/, '');
}
