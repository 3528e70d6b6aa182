/** What a row of a table in memory has: its defaults, generated columns and required ones. */
import { getTableColumns, is, SQL } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import { type Computed, DEFAULTS, GENERATED } from './sql-parts.ts';

type Values = Record<string, unknown>;

export interface RowShape {
  /** A new row of these values, with what they leave out. */
  complete(given: object): Values;
  /** Computes the generated columns of a new row. */
  generate(row: Values): void;
  /** The first required column that is null; undefined: none is. */
  missing(row: Values): string | undefined;
}

/** Throws where sql-parts.ts lacks a default or a generated column of the schema. */
export function rowShape(schema: PgTable): RowShape {
  const { name } = getTableConfig(schema);
  const columns = Object.entries(getTableColumns(schema));
  const required = columns.filter(([, column]) => column.notNull).map(([property]) => property);
  const blank: Values = {};
  for (const [property, column] of columns) {
    const fixed = DEFAULTS[`${name}.${column.name}`];
    if (is(column.default, SQL) && fixed === undefined)
      throw new Error(`sql-parts.ts has no default of ${name}.${column.name}`);
    blank[property] = fixed ?? column.default ?? null;
  }
  const generated = columns
    .filter(([, column]) => column.generated !== undefined)
    .map(([property, column]): readonly [string, Computed] => {
      const computed = GENERATED[`${name}.${column.name}`];
      if (computed === undefined) throw new Error(`sql-parts.ts does not generate ${name}.${column.name}`);
      return [property, computed];
    });
  function generate(row: Values): void {
    for (const [property, computed] of generated) row[property] = computed(row);
  }
  return {
    complete(given) {
      const row = { ...blank };
      for (const [property, value] of Object.entries(given)) if (value !== undefined) row[property] = value;
      generate(row);
      return row;
    },
    generate,
    missing: (row) => required.find((property) => row[property] === null),
  };
}
