/** Checks of the rows and values of statements. */

/** The only row of a statement that must have found one. */
export function theOnly<Row>(rows: readonly Row[], what: string): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`${what}: ${rows.length} rows instead of one`);
  return row;
}

/**
 * Whether PostgreSQL accepts the text as a uuid; any other text then finds nothing instead of
 * failing.
 */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
