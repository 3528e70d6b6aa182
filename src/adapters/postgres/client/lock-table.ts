/** A lock of a whole table, which is no statement that PostgreSQL prepares by its text. */
import { getTableName, type Table } from 'drizzle-orm';
import type { Sql } from './sql.ts';

/**
 * Waits for all that have rows of it locked, until the transaction ends. Those that lock rows later
 * wait behind it; what only reads waits for nobody.
 */
export async function lockTable(on: Sql, table: Table): Promise<void> {
  await on.query(`lock table ${getTableName(table)} in exclusive mode`);
}
