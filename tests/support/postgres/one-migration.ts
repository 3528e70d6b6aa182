/** A database of before one migration, for tests of what that changes in its rows. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../../src/adapters/postgres/client/migrate.ts';
import { type TestDatabase, testDatabase } from './postgres.ts';
import { MIGRATIONS } from './postgres-template.ts';

export interface BeforeMigration {
  readonly database: TestDatabase['database'];
  /** Applies the migration. Returns the names of what was applied. */
  apply(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function beforeMigration(name: string): Promise<BeforeMigration> {
  const held = await testDatabase({ migrate: false });
  const directory = mkdtempSync(join(tmpdir(), 'quittance-migrations-'));
  cpSync(MIGRATIONS, directory, { recursive: true });
  const journal = JSON.parse(readFileSync(join(MIGRATIONS, 'meta', '_journal.json'), 'utf8')) as {
    entries: { tag: string }[];
  };
  const place = journal.entries.findIndex(({ tag }) => tag === name);
  async function applyFirst(count: number): Promise<readonly string[]> {
    const entries = journal.entries.slice(0, count);
    writeFileSync(join(directory, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }));
    return (await migrate(held.database, { directory })).applied;
  }
  await applyFirst(place);
  return {
    database: held.database,
    apply: () => applyFirst(place + 1),
    async close() {
      rmSync(directory, { recursive: true });
      await held.drop();
    },
  };
}
