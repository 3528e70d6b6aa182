/** Builds the text of plain statements from column lists. Texts are made once, so that the driver can keep them prepared. */

/** `insert into t (a, b) values ($1, $2)` for parameters in the order of `columns`. */
export function insertInto(table: string, columns: readonly string[]): string {
  const places = columns.map((_, position) => `$${position + 1}`);
  return `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`;
}

export function prefixed(alias: string, columns: readonly string[]): string {
  return columns.map((column) => `${alias}.${column}`).join(', ');
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
