/** A database with our tables that tests copy, which takes a fraction of migrating. */
import { join } from 'node:path';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { migrate } from '../../../src/adapters/postgres/client/migrate.ts';
import { silentLogger } from '../runtime/silent-logger.ts';

export const MIGRATIONS = join(import.meta.dir, '..', '..', '..', 'drizzle');

/** Makes it, on a server where there is none yet. Answers its name. */
export async function makeTemplate(server: { url(database: string): string }): Promise<string> {
  const name = 'migrated_template';
  const on = (database: string) =>
    openDatabase({ url: server.url(database), poolSize: 1, logger: silentLogger });
  const administrator = on('postgres');
  await administrator.script(`create database ${name}`);
  await administrator.close();
  const database = on(name);
  await migrate(database, { directory: MIGRATIONS });
  await database.close();
  return name;
}
