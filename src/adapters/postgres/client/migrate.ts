/**
 * Applies the migrations that drizzle-kit generated, in the order of its journal, each once and in
 * one transaction. Any number of instances may start at the same time.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from './client.ts';
import type { Sql, Transaction } from './sql.ts';

interface Migration {
  readonly name: string;
  readonly hash: string;
  readonly statements: readonly string[];
}

/**
 * The database's migrations do not match this program. Nothing was changed. The message is for the
 * operator.
 */
export class MigrationsRefused extends Error {
  override readonly name = 'MigrationsRefused';
}

/**
 * The 54 migrations that 0000_initial replaces (decision 0035): a database with the last of them
 * equals one from 0000_initial. `commit` is one that has all 54.
 */
const SQUASHED = {
  first: {
    name: '0000_initial',
    hash: '78f12e48aba7c336d87f86213f1e938fec6f6f74584916a1a87812114655101a',
  },
  last: {
    name: '0053_changes_by_index',
    hash: 'cc42c4227f1c69d47a4ddc09565ca7713762d6c6916ff7832fef652461c2ab14',
  },
  commit: '3199a80faf25d2fcbd9f2921edc11272b119d921',
} as const;

/** An arbitrary key that no other advisory lock of the gateway uses. */
const LOCK_KEY = 7_301_462_095n;
/** Includes waiting for another instance's migrations. */
const MIGRATION_TIMEOUT_MS = 600_000;
const BREAKPOINT = '--> statement-breakpoint';

/**
 * Applies the missing migrations of `directory` (`meta/_journal.json` and `<tag>.sql`) and returns
 * their names. A database of the squashed migrations is recorded as being at the first of
 * `directory`. Throws MigrationsRefused without any change if it lacks some of those, or if an
 * applied migration differs now or is gone. A directory without a journal has no migrations.
 */
export async function migrate(
  database: Database,
  options: { directory: string },
): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(options.directory);
  const locked = <T>(work: (sql: Transaction) => Promise<T>): Promise<T> =>
    database.transaction(
      async (sql) => {
        await sql.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
        return work(sql);
      },
      { timeoutMs: MIGRATION_TIMEOUT_MS },
    );

  await locked(async (sql) => {
    await sql.script(`create table if not exists schema_migrations (
      name text primary key,
      hash text not null,
      applied_at timestamptz not null default now()
    )`);
    await takeOver(sql, migrations);
    refuseChanged(await appliedMigrations(sql), migrations);
  });
  const applied: string[] = [];
  for (const migration of migrations) {
    const done = await locked(async (sql) => {
      if ((await appliedMigrations(sql)).has(migration.name)) return false;
      for (const statement of migration.statements) await sql.script(statement);
      await record(sql, migration);
      return true;
    });
    if (done) applied.push(migration.name);
  }
  return { applied };
}

/** What was applied: names, with their hashes. */
export async function appliedMigrations(sql: Pick<Sql, 'query'>): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<{ name: string; hash: string }>('select name, hash from schema_migrations');
  return new Map(rows.map(({ name, hash }) => [name, hash]));
}

async function record(sql: Transaction, { name, hash }: Migration): Promise<void> {
  await sql.query('insert into schema_migrations (name, hash) values ($1, $2)', [name, hash]);
}

/**
 * Records a database of the squashed migrations as being at `first`, without changing its schema.
 */
async function takeOver(sql: Transaction, [first]: readonly Migration[]): Promise<void> {
  const { first: oldFirst, last: oldLast, commit } = SQUASHED;
  const hashes = await appliedMigrations(sql);
  if (!first || hashes.get(oldFirst.name) !== oldFirst.hash) return;
  const last = [...hashes.keys()].toSorted().at(-1);
  if (last !== oldLast.name || hashes.get(oldLast.name) !== oldLast.hash)
    throw new MigrationsRefused(
      `the database is at migration ${last}, from which this version cannot continue. Start commit ${commit} of Quittance on it once, then this version`,
    );
  await sql.query('delete from schema_migrations');
  await record(sql, first);
}

function refuseChanged(recordedHashes: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const present = new Map(migrations.map(({ name, hash }) => [name, hash]));
  for (const [name, hash] of recordedHashes) {
    if (!present.has(name))
      throw new MigrationsRefused(`migration ${name} was applied to this database, but its file is gone`);
    if (present.get(name) !== hash)
      throw new MigrationsRefused(`migration ${name} was changed after it was applied`);
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const journalFile = Bun.file(join(directory, 'meta', '_journal.json'));
  if (!(await journalFile.exists())) return [];
  const journal: { entries: { idx: number; tag: string }[] } = await journalFile.json();
  const entries = journal.entries.toSorted((a, b) => a.idx - b.idx);
  return Promise.all(
    entries.map(async ({ tag }) => {
      const text = await readFile(join(directory, `${tag}.sql`), 'utf8');
      return {
        name: tag,
        hash: createHash('sha256').update(text).digest('hex'),
        statements: text.split(BREAKPOINT).filter((statement) => statement.trim() !== ''),
      };
    }),
  );
}
