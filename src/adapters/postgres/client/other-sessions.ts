/**
 * Whether other processes of the gateway use the database: its wallet and chains must not change
 * meanwhile.
 */
import { sql } from 'drizzle-orm';
import { statement } from '../statement.ts';
import type { Sql } from './sql.ts';
import { theOnly } from './statements.ts';

const OTHERS = statement({
  selects: { others: sql`count(*)`.mapWith(Number) },
  text: (_given, select) => sql`
    select ${select} from pg_stat_activity
    where datname = current_database() and application_name = current_setting('application_name')
      and pid <> pg_backend_pid()`,
});

// within a transaction the list of sessions is read once, unless it is cleared
const PAUSE = statement({ text: () => sql`select pg_sleep(0.3), pg_stat_clear_snapshot()` });

/**
 * Sessions of the service, the signer and scripts, except this one. Not through a connection
 * pooler: those who wait there for a session have none. Sessions that a pooler keeps open count.
 * One that was closed a moment ago may still end: it is given 0.3 s.
 */
export async function otherSessions(on: Sql): Promise<number> {
  if ((await count(on)) === 0) return 0;
  await PAUSE(on);
  return count(on);
}

async function count(on: Sql): Promise<number> {
  return theOnly(await OTHERS(on), 'the other sessions').others;
}
