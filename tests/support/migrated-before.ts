/** A database as it was before a migration, for tests of what that does to the rows it finds. */
import { cpSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { type TestDatabase, testDatabase } from './postgres.ts';
import { temporaryDirectory } from './temp-directory.ts';

export const MIGRATIONS = join(import.meta.dir, '..', '..', 'drizzle');

/** Migrated with all that were shipped before `tag`. */
export async function migratedBefore(tag: string): Promise<TestDatabase> {
  const held = await testDatabase({ migrate: false });
  const folder = await temporaryDirectory();
  cpSync(MIGRATIONS, folder.path, { recursive: true });
  const path = join(folder.path, 'meta', '_journal.json');
  const journal: { entries: { tag: string }[] } = await Bun.file(path).json();
  const entries = journal.entries.filter((entry) => entry.tag < tag);
  await writeFile(path, JSON.stringify({ ...journal, entries }));
  await migrate(held.database, { directory: folder.path });
  await folder.remove();
  return held;
}
