/** A database with our tables that tests copy, which takes a fraction of migrating. */
import { join } from 'node:path';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { migrate } from '../../../src/adapters/postgres/client/migrate.ts';
import { silentLogger } from '../runtime/silent-logger.ts';

export const MIGRATIONS = join(import.meta.dir, '..', '..', '..', 'drizzle');

/** Makes it, on a server where there is none yet. Answers its name. */
export async function makeTemplate(server: { url(database: string): string }): Promise<string> {
  const name = 'migrated_template';
  await asAdministrator(server, `create database ${name}`);
  const database = openDatabase({ url: server.url(name), poolSize: 1, logger: silentLogger });
  await migrate(database, { directory: MIGRATIONS });
  await database.close();
  return name;
}

/** Runs a statement that belongs to no database of ours. */
export async function asAdministrator(
  server: { url(database: string): string },
  statement: string,
): Promise<void> {
  const administrator = openDatabase({ url: server.url('postgres'), poolSize: 1, logger: silentLogger });
  try {
    await administrator.script(statement);
  } finally {
    await administrator.close();
  }
}
