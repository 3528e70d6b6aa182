/**
 * How long the server lets a transaction stand still before it ends the session: long for work
 * outside the database meanwhile.
 */
import { sql } from 'drizzle-orm';
import { statement } from '../statement.ts';
import { value } from '../statement-parts.ts';
import type { Sql } from './sql.ts';

const LIMIT = statement({
  given: { milliseconds: value<string>('text') },
  text: ({ milliseconds }) =>
    sql`select set_config('idle_in_transaction_session_timeout', ${milliseconds}, true)`,
});

/** From here to the end of the transaction; 0 for no limit. */
export async function limitIdleness(on: Sql, milliseconds: number): Promise<void> {
  await LIMIT(on, { milliseconds: String(milliseconds) });
}
