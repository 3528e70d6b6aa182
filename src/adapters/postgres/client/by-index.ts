/**
 * Statements over a table that grows and drains faster than its statistics are renewed. One that was planned while the table
 * had a page scans it whole when it has a million rows, until the next ANALYZE: measured, a look-up for each of 500 merchants
 * took longer than the 5 s that a statement has. So such a statement is planned over the index that has its order, always.
 */
import { sql } from 'drizzle-orm';
import { statement } from '../statement.ts';
import type { Database } from './client.ts';
import type { Sql } from './sql.ts';

const BY_INDEX =
  'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off';

const SEEK_ONLY = statement({ text: () => sql`select set_config('enable_seqscan', 'off', true)` });

/** From here to the end of the transaction nothing is read whole. */
export async function seekOnly(on: Sql): Promise<void> {
  await SEEK_ONLY(on);
}

/** `run` runs one statement, in a transaction of its own. No other caller may run the same: plans are kept by its text. */
export function byIndex<Found>(database: Database, run: (on: Sql) => Promise<Found>): Promise<Found> {
  return database.transaction(async (on) => {
    await on.script(BY_INDEX);
    return run(on);
  });
}
