/**
 * Refuses a database behind a connection pooler that its URL does not name: sessions lose their
 * settings there, and statements prepared in one are missing in the next.
 */
import { sql } from 'drizzle-orm';
import { statement } from '../statement.ts';
import { DatabaseUnavailable, NAME_THE_POOLER } from './pg-errors.ts';
import type { Sql } from './sql.ts';

/** Every session of the service has a limit, whether its own or that of a transaction. */
const LIMITED = statement({
  selects: {
    isLimited: sql<boolean>`current_setting('statement_timeout') <> '0' and current_setting('jit') = 'off'`,
  },
  text: (_given, select) => sql`select ${select}`,
});

/** Throws DatabaseUnavailable; the message says what to do. */
export async function refuseUnnamedPooler(on: Sql): Promise<void> {
  const [row] = await LIMITED(on);
  if (row?.isLimited !== true)
    throw new DatabaseUnavailable(`the settings of a session do not reach the server. ${NAME_THE_POOLER}`);
}
