/**
 * Turns rows that the service wrote into the values of pgbench's inserts, so that these cannot fall
 * behind the schema.
 */
import type { SQL } from 'bun';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly value: string | null;
}

/** The columns of the only row of `table` whose `key` is `id`. */
export async function columnsOf(sql: SQL, table: string, key: string, id: string): Promise<Column[]> {
  const [columns] = await rowsOf(sql, table, { key, id });
  if (columns === undefined) throw new Error(`no row of ${table} with ${key} ${id}`);
  return columns;
}

/** The columns of all rows of `table` whose `key` is `id`, by `orderBy`. */
export async function rowsOf(
  sql: SQL,
  table: string,
  { key, id, orderBy = key }: { key: string; id: string; orderBy?: string },
): Promise<Column[][]> {
  const described = (await sql.unsafe(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
  )) as { name: string; type: string }[];
  const texts = described.map(({ name }) => `${name}::text`).join(', ');
  const rows: Record<string, string | null>[] = await sql.unsafe(
    `select ${texts} from ${table} where ${key} = '${id}' order by ${table}.${orderBy}`,
  );
  return rows.map((row) => described.map(({ name, type }) => ({ name, type, value: row[name] ?? null })));
}

export function names(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/** The sample's values, but for the columns that `fresh` makes anew; each of those must exist. */
export function values(columns: readonly Column[], fresh: Readonly<Record<string, string>>): string {
  for (const name of Object.keys(fresh)) {
    if (!columns.some((column) => column.name === name))
      throw new Error(`the schema has no column ${name} any more`);
  }
  return columns.map((column) => fresh[column.name] ?? literal(column)).join(', ');
}

/** Colons are written as escapes: pgbench would look for its variables in them. */
export function literal(column: Column | undefined): string {
  if (column === undefined) throw new Error('the schema lacks an expected column');
  if (column.value === null) return 'null';
  const text = column.value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll(':', '\\x3a');
  return `E'${text}'::${column.type}`;
}
