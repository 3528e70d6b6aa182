/** Builds the text of plain statements from column lists. Texts are made once, so that the driver can keep them prepared. */

/** `insert into t (a, b) values ($1, $2)` for parameters in the order of `columns`. */
export function insertInto(table: string, columns: readonly string[]): string {
  const places = columns.map((_, position) => `$${position + 1}`);
  return `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`;
}

/** `update t set a = $2, b = $3 where id = $1`. */
export function updateById(table: string, columns: readonly string[]): string {
  const changes = columns.map((column, position) => `${column} = $${position + 2}`);
  return `update ${table} set ${changes.join(', ')} where id = $1`;
}

/** The same for many rows: `$1` is a JSON array of them, `$2` their ids. Answers an id for each that is there. */
export function updateAll<Column extends string>(
  table: string,
  columns: readonly Column[],
  types: Readonly<Record<Column, string>>,
): string {
  const changes = columns.map((column) => `${column} = g.${column}`).join(', ');
  const given = columns.map((column) => `${column} ${types[column]}`).join(', ');
  return `
    update ${table} t set ${changes} from json_to_recordset($1::json) as g (id text, ${given})
    where t.id = g.id and t.id = any ($2::text[]) returning t.id`;
}

export function prefixed(alias: string, columns: readonly string[]): string {
  return columns.map((column) => `${alias}.${column}`).join(', ');
}

/** The values of a row in the order of `columns`. */
export function inOrder<Column extends string, Value>(
  row: Readonly<Record<Column, Value>>,
  columns: readonly Column[],
): Value[] {
  return columns.map((column) => row[column]);
}

/** The only row of a statement that must have found one. */
export function theOnly<Row>(rows: readonly Row[], what: string): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`${what}: ${rows.length} rows instead of one`);
  return row;
}

/** Whether PostgreSQL takes the text for a uuid; anything else finds nothing instead of failing. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
