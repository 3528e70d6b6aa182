/**
 * Statements over a table that grows and shrinks faster than its statistics are updated. A plan
 * from when the table had one page scans all of its million rows until the next ANALYZE: measured,
 * a look-up for each of 500 merchants exceeded the statement limit of 5 s. Such a statement is
 * always planned over the index that has its order.
 */
import { sql } from 'drizzle-orm';
import { statement } from '../statement.ts';
import type { Database } from './client.ts';
import type { Sql } from './sql.ts';

const BY_INDEX =
  'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off';

const SEEK_ONLY = statement({ text: () => sql`select set_config('enable_seqscan', 'off', true)` });

/** Prevents sequential scans until the end of the transaction. */
export async function seekOnly(on: Sql): Promise<void> {
  await SEEK_ONLY(on);
}

/**
 * `run` runs one statement, in a transaction of its own. No other caller may run the same one:
 * plans are cached by its text.
 */
export function byIndex<Found>(database: Database, run: (on: Sql) => Promise<Found>): Promise<Found> {
  return database.transaction(async (on) => {
    await on.script(BY_INDEX);
    return run(on);
  });
}
