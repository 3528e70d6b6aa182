/** The unique indexes and foreign keys of a Drizzle table, for its rows in memory. */
import { getTableColumns } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import { PARTIAL } from './sql-parts.ts';

export interface Unique<Row> {
  readonly name: string;
  /** Null for a row that the index is not about. */
  readonly keyOf: (row: Row) => string | null;
  /** Primary keys of rows. */
  readonly keys: Map<string, string>;
}

export interface Reference<Row> {
  readonly name: string;
  readonly exists: (row: Row) => boolean;
}

interface Referred {
  hasRowWith(columns: readonly string[], values: readonly unknown[]): boolean;
}

type Values = Record<string, unknown>;
interface Named {
  readonly name: string;
}

/** In no text of PostgreSQL. */
export const NUL = '\u0000';

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return NUL;
  if (value instanceof Date) return String(value.getTime());
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return String(value);
}

/** The names in the code of these columns of the table. */
export function propertiesOf(schema: PgTable, of: readonly Named[]): readonly string[] {
  const named = new Map(
    Object.entries(getTableColumns(schema)).map(([property, { name }]) => [name, property]),
  );
  return of.map(({ name }) => named.get(name)!);
}

export function uniquesOf<Row>(schema: PgTable): readonly Unique<Row>[] {
  const { uniqueConstraints, indexes } = getTableConfig(schema);
  const columns = Object.entries(getTableColumns(schema));
  return [
    ...columns
      .filter(([, column]) => column.isUnique)
      .map(([property, column]) => unique<Row>(column.uniqueName!, [property])),
    ...uniqueConstraints.map((constraint) =>
      unique<Row>(constraint.getName()!, propertiesOf(schema, constraint.columns)),
    ),
    ...indexes
      .filter((index) => index.config.unique)
      .map(({ config: { name, columns: of, where } }) => {
        const partial = PARTIAL[name!];
        if (where !== undefined && partial === undefined)
          throw new Error(`sql-parts.ts does not say which rows ${name} is about`);
        return unique<Row>(name!, propertiesOf(schema, of as Named[]), partial as (row: Row) => boolean);
      }),
  ];
}

/** In a unique index nulls are never equal. */
function unique<Row>(
  name: string,
  columns: readonly string[],
  isIn: (row: Row) => boolean = () => true,
): Unique<Row> {
  return {
    name,
    keys: new Map(),
    keyOf(row) {
      if (!isIn(row)) return null;
      let key = '';
      for (const column of columns) {
        const value = (row as Values)[column];
        if (value === null) return null;
        key += textOf(value) + NUL;
      }
      return key;
    },
  };
}

export function referencesOf<Row>(
  schema: PgTable,
  tableOf: (schema: PgTable) => Referred,
): readonly Reference<Row>[] {
  return getTableConfig(schema).foreignKeys.map((key) => {
    const { columns: from, foreignTable, foreignColumns } = key.reference();
    const own = propertiesOf(schema, from);
    const foreign = propertiesOf(foreignTable, foreignColumns);
    return {
      name: key.getName(),
      exists: (row) =>
        (foreignTable === schema && refersToItself(row as Values, own, foreign)) ||
        refersToRow(row as Values, own, tableOf(foreignTable), foreign),
    };
  });
}

/** A row is there when its statement ends. */
function refersToItself(row: Values, own: readonly string[], foreign: readonly string[]): boolean {
  return own.every((column, n) => row[column] === row[foreign[n]!]);
}

function refersToRow(
  row: Values,
  own: readonly string[],
  table: Referred,
  foreign: readonly string[],
): boolean {
  const values = own.map((column) => row[column]);
  if (values.includes(null)) return true;
  return table.hasRowWith(foreign, values);
}
