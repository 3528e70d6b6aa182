/**
 * Statements made from the Drizzle schema. A column is a property of its table: after a renaming no
 * statement with the old name compiles. Parameters and rows have the schema's types, and an insert
 * without a required column does not compile. The text is made once, at first use; connections keep
 * it prepared. A test prepares every statement on the migrated database
 * (tests/adapters/postgres/statements.test.ts), so none is registered by hand.
 *
 *     const MERCHANT = getTableColumns(m);                 // the row is the domain's Merchant
 *     const FIND = statement({                             // find: `given` are $1 to $n, `selects` is the row
 *       given: { id: m.id },
 *       selects: MERCHANT,
 *       text: ({ id }, select) => sql`select ${select} from ${m} where ${m.id} = ${id}`,
 *     });
 *     const [merchant] = await FIND(on, { id });
 *     const INSERT = statement({ given: MERCHANT, text: (values) => insertInto(m, values) });
 *     const UPDATE = statement({
 *       given: { id: m.id, status: m.status },
 *       selects: { id: m.id },
 *       text: ({ id, ...values }, select) =>
 *         sql`update ${m} set ${set(m, values)} where ${m.id} = ${id} returning ${select}`,
 *     });
 *     const INSERT_ALL = statement({                       // one statement for any number of rows
 *       given: { rows: records('g', BLOCK), chain: b.chain },
 *       text: ({ rows, chain }) => sql`
 *         ${insertSelect(b, { ...columnsOf('g', BLOCK), chain })} from ${rows}
 *         on conflict (${names(b.chain, b.height)}) do update set ${toExcluded(b.hash)}`,
 *     });
 *     const LIST = statementsBy(                           // a dynamic list: a statement for each shape, kept
 *       [{ order: 'asc' }, { order: 'desc' }],             // those that the test prepares
 *       ({ order }: Shape) => statement({ ... sql`... order by ${m.createdAt} ${sql.raw(order)}` }),
 *     );
 *     const rows = await LIST({ order })(on, { ... });
 *
 * The parts of a text are in statement-parts.ts:
 *
 * - A parameter that is not a column: `value<number>('bigint')`; an array of a column:
 *   `listOf(m.id)`; a column or null: `nullable(m.id)`. These have a cast. A column's parameter has
 *   none: PostgreSQL infers its type. A record set takes values and nullable columns alike.
 * - An expression in `selects`: `sql<boolean>`...``, with `.mapWith(Number)` if the client returns
 *   text (count, sum, bigint); `like(column, sql`...`)` for the column's own type;
 *   `notNull(column)` if a condition excludes null; `outer(columns)` and then `ifThere` for the
 *   optional side of a join.
 * - `names(...)` where PostgreSQL requires bare names: conflict targets, lists of columns, `set` by
 *   hand. `at('g', b.hash)` for the column of a CTE, a record set or `excluded`. A second name of a
 *   table: `const o = alias(k, 'o')` and `from ${k} o`, because `${o}` prints only the alias.
 * - Literals come from the domain: `equals(i.status, 'created')`,
 *   `oneOf(i.status, OPEN_STATUSES)` (schema/columns.ts). A text that contains a value throws.
 */
import { type AnyColumn, Column, is, noopDecoder, type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { SqlParameter } from './client/parameters.ts';
import type { Sql } from './client/sql.ts';
import {
  type Asked,
  BY_NAME,
  comesAsTyped,
  commas,
  encoderOf,
  type Parameter,
  type RecordSet,
  type ValueOf,
} from './statement-parts.ts';

type Given = Readonly<Record<string, AnyColumn | Parameter<never> | RecordSet<never>>>;
/** The values for a call of a statement. */
export type ValuesOf<Of extends Given> = { readonly [Name in keyof Of]: Asked<Of[Name]> };
/** The parameters in a statement's text. */
export type PlacesOf<Of extends Given> = { readonly [Name in keyof Of]: SQL<Asked<Of[Name]>> };

/** The selected fields, by their names in a row. */
export type Fields = Readonly<Record<string, AnyColumn | SQL>>;
/** The row that a statement returns for these fields. */
export type RowOf<Of extends Fields> = {
  readonly [Name in keyof Of]: Of[Name] extends AnyColumn
    ? ValueOf<Of[Name]>
    : Of[Name] extends SQL<infer Value>
      ? Value
      : never;
};

/**
 * Runs on a database or within a transaction. The caller may modify the rows. The driver makes them
 * without a prototype: they have no methods, not even toString, and are no `instanceof Object`; `{
 * ...row }` is a plain object.
 */
export type Statement<Values, Row> = (
  on: Sql,
  ...values: keyof Values extends never ? [] : [values: Values]
) => Promise<readonly Row[]>;

const dialect = new PgDialect();
const statements: (() => Made)[] = [];
const unmade: (() => void)[] = [];

export function statement<
  In extends Given = Record<never, never>,
  Out extends Fields = Record<never, never>,
>(of: {
  readonly given?: In;
  readonly selects?: Out;
  /** `select` lists the selected fields with their names; also after `returning`. */
  readonly text: (given: PlacesOf<In>, select: SQL) => SQL;
}): Statement<ValuesOf<In>, RowOf<Out>> {
  let kept: Made | null = null;
  const made = (): Made => {
    kept ??= madeOf(
      of.given ?? {},
      of.selects ?? {},
      of.text as (given: PlacesOf<Given>, select: SQL) => SQL,
    );
    return kept;
  };
  statements.push(made);
  const run = async (on: Sql, values: Readonly<Record<string, unknown>> = {}) => {
    const { text, encode, decode } = kept ?? made();
    // The driver's own array has further properties, which the port does not promise.
    const rows = [...(await on.query<Record<string, unknown>>(text, encode(values)))];
    rows.forEach(decode);
    return rows;
  };
  return run as Statement<ValuesOf<In>, RowOf<Out>>;
}

/** What a statement is made into at its first use. */
interface Made {
  readonly text: string;
  readonly encode: (values: Readonly<Record<string, unknown>>) => readonly SqlParameter[];
  /** Decodes a row in place. */
  readonly decode: (row: Record<string, unknown>) => void;
}

function madeOf(given: Given, selects: Fields, textOf: (given: PlacesOf<Given>, select: SQL) => SQL): Made {
  let width = 0;
  const parameters = Object.entries(given).map(([name, of]) => {
    const own = Array.from({ length: 'width' in of ? of.width : 1 }, (_, nth) => `$${width + nth + 1}`);
    width += own.length;
    return { name, own, ...parameterOf(of, own) };
  });
  const places = Object.fromEntries(parameters.map(({ name, place }) => [name, place]));
  return {
    text: written(textOf(places, selectionOf(selects)), parameters),
    encode: (values) => parameters.flatMap(({ name, encode }) => encode(values[name])),
    decode: decoderOf(selects),
  };
}

/** How a value becomes its parameters, and their place in the text. */
function parameterOf(of: Given[string], [own = '', ...more]: readonly string[]) {
  type Encode = (value: unknown) => readonly SqlParameter[];
  if (is(of, Column)) {
    const encode = encoderOf(of);
    return { encode: ((value) => [encode(value)]) as Encode, place: sql.raw(own) };
  }
  if ('width' in of) return { encode: of.encode as Encode, place: of.place(own, ...more) };
  const encode = of.encode as (value: unknown) => SqlParameter;
  return { encode: ((value) => [encode(value)]) as Encode, place: of.place(own) };
}

/** One statement per shape, made at its first use. `shapes`: one of each possible shape. */
export function statementsBy<Shape, Made>(
  shapes: readonly NoInfer<Shape>[],
  make: (shape: Shape) => Made,
): (shape: Shape) => Made {
  const kept = new Map<string, Made>();
  const by = (shape: Shape): Made => {
    const key = JSON.stringify(shape);
    const found = kept.get(key) ?? make(shape);
    kept.set(key, found);
    return found;
  };
  unmade.push(() => shapes.forEach(by));
  return by;
}

/**
 * The texts of all statements of the loaded modules, including one of each shape. For the test that
 * prepares them.
 */
export function everyStatement(): readonly string[] {
  for (const make of unmade.splice(0)) make();
  return statements.map((made) => made().text);
}

function written(
  made: SQL,
  given: readonly { readonly name: string; readonly own: readonly string[] }[],
): string {
  const { sql: text, params } = dialect.sqlToQuery(made);
  if (params.length > 0) throw new Error(`a statement that is made once holds a value: ${text}`);
  const used = new Set(text.match(/\$\d+/g));
  const unused = given.flatMap(({ name, own }) => (own.every((place) => used.has(place)) ? [] : [name]));
  if (unused.length > 0)
    throw new Error(`a statement does not use what it is given, ${unused.join()}: ${text}`);
  return text;
}

/** `"invoices"."external_id" as "externalId", ...` */
function selectionOf(fields: Fields): SQL {
  return commas(Object.entries(fields).map(([name, field]) => sql`${field} as ${sql.identifier(name)}`));
}

function decoderOf(fields: Fields): Made['decode'] {
  const changing = Object.entries(fields).flatMap(([name, field]) => {
    if (is(field, Column)) return comesAsTyped(field) ? [] : [{ name, read: readerOf(field) }];
    // The property that drizzle's own reader uses; its types omit it.
    const { decoder } = field as unknown as { decoder: typeof noopDecoder };
    return decoder === noopDecoder ? [] : [{ name, read: readerOf(decoder) }];
  });
  return (row) => {
    for (const { name, read } of changing) {
      const found = row[name];
      if (found !== null) row[name] = read(found);
    }
  };
}

function readerOf(decoder: typeof noopDecoder): (found: unknown) => unknown {
  return BY_NAME.get(decoder.mapFromDriverValue) ?? ((found) => decoder.mapFromDriverValue(found));
}
