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

/**
 * Sessions of the service, the signer and scripts, except this one. Sessions that a connection
 * pooler keeps open count.
 */
export async function otherSessions(on: Sql): Promise<number> {
  return theOnly(await OTHERS(on), 'the other sessions').others;
}
