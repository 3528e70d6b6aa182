/**
 * A backup of the contents of DATA_DIR while the service runs: the embedded database, the keys, and
 * the files that check a restore.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { copyDataFolder, copyLogSegments, copyWhole } from '../adapters/embedded-postgres/cluster-copy.ts';
import { startEmbeddedPostgres } from '../adapters/embedded-postgres/embedded-postgres.ts';
import { type Database, openDatabase } from '../adapters/postgres/client/client.ts';
import { appliedMigrations } from '../adapters/postgres/client/migrate.ts';
import { backUpOnline } from '../adapters/postgres/client/online-backup.ts';
import { postgresUnitOfWork } from '../adapters/postgres/unit-of-work.ts';
import type { Config } from '../config/types.ts';
import type { BackupKind } from '../domain/backup-kind.ts';
import type { Clock } from '../ports/runtime/clock.ts';
import type { Logger } from '../ports/runtime/logger.ts';

/** Nothing was copied. The message is for the operator. */
class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}

export interface Backup {
  /** The folder, absolute. A service can start with it as DATA_DIR. */
  readonly folder: string;
  readonly files: readonly string[];
}

/**
 * In this order, after the database: the files that check a restored database must not be older
 * than it.
 */
const FILES = ['keystore.json', 'master.key', 'issued-indexes.json', 'signer.log'];
const CLUSTER = join('postgres', 'cluster');

/**
 * Writes the complete backup to `to`, which must not exist, or nothing, and starts a server on the
 * copy once. Throws BackupRefused, and any error of the copy.
 */
export async function backUp(
  config: Config,
  { clock, logger }: { clock: Clock; logger: Logger },
  options: { readonly to: string; readonly withMasterKey: boolean },
): Promise<Backup> {
  const folder = resolve(options.to);
  refuseWhatCannotBe(config, folder);
  const draft = `${folder}.partial`;
  await makeOnly(draft);
  try {
    await copyDatabase(config, draft, logger);
    const files = await copyFiles(config, draft, options);
    await proveThatItStarts(draft, logger);
    const about = { made_at: clock.now().toISOString(), version: packageJson.version, files };
    await writeFile(join(draft, 'backup.json'), `${JSON.stringify(about, null, 2)}\n`, { flush: true });
    await rename(draft, folder);
    await notedIfPossible(config, { clock, logger });
    return { folder, files };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Records in the database that other tools made a backup now. Throws if the database does not take
 * it.
 */
export async function noteBackup(config: Config, parts: { clock: Clock; logger: Logger }): Promise<void> {
  await note(config, 'noted', parts);
}

/**
 * The copy is good also where this fails, before the migration of an upgrade for example. Its
 * recorded age goes on growing then.
 */
async function notedIfPossible(config: Config, parts: { clock: Clock; logger: Logger }): Promise<void> {
  try {
    await note(config, 'made', parts);
  } catch (error) {
    parts.logger.warn('backup.not_recorded', { error: String(error) });
  }
}

/** Migrates nothing: a backup before an upgrade leaves the database as it is. */
async function note(
  { databaseUrl, dataDir }: Config,
  kind: BackupKind,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<void> {
  const work = (database: Database) =>
    postgresUnitOfWork(database).run(({ backups }) => backups.note({ at: clock.now(), kind }));
  if (databaseUrl === null) return withServer(join(dataDir, 'postgres'), logger, work);
  const database = openDatabase({ url: databaseUrl, poolSize: 1, logger });
  await work(database).finally(() => database.close());
}

function refuseWhatCannotBe({ databaseUrl, dataDir }: Config, folder: string): void {
  if (databaseUrl !== null)
    throw new BackupRefused(
      `this copies the embedded database only. Yours (DATABASE_URL) has pg_dump and archiving; copy ${FILES.join(', ')} of ${dataDir} after it`,
    );
  if (!existsSync(join(dataDir, CLUSTER)))
    throw new BackupRefused(`there is no embedded database in ${dataDir}`);
  if (existsSync(folder)) throw new BackupRefused(`${folder} is there: nothing is overwritten`);
}

/** Of two backups to one folder the second is refused. */
async function makeOnly(draft: string): Promise<void> {
  try {
    await mkdir(draft, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new BackupRefused(
      `${draft} is there: another backup is being made, or one was killed. Remove it then`,
    );
  }
}

async function copyDatabase({ dataDir }: Config, draft: string, logger: Logger): Promise<void> {
  const to = join(draft, CLUSTER, 'data');
  await mkdir(join(draft, CLUSTER), { recursive: true, mode: 0o700 });
  await copyWhole(join(dataDir, CLUSTER, 'password'), join(draft, CLUSTER, 'password'));
  await withServer(join(dataDir, 'postgres'), logger, (database) =>
    backUpOnline(database, {
      copyFiles: (from) => copyDataFolder(from, to),
      copyLog: (from, log) => copyLogSegments(from, to, log),
    }),
  );
}

async function copyFiles(
  { dataDir }: Config,
  draft: string,
  { withMasterKey }: { withMasterKey: boolean },
): Promise<readonly string[]> {
  const wanted = FILES.filter((name) => withMasterKey || name !== 'master.key');
  const there = wanted.filter((name) => existsSync(join(dataDir, name)));
  for (const name of there) await copyWhole(join(dataDir, name), join(draft, name));
  return ['postgres', ...there];
}

/** Its recovery runs now, and not on the day when it is needed. */
async function proveThatItStarts(draft: string, logger: Logger): Promise<void> {
  const directory = join(draft, 'postgres');
  await withServer(directory, logger, appliedMigrations);
  for (const left of ['postgres.log', 'users'])
    await rm(join(directory, left), { recursive: true, force: true });
}

async function withServer(
  directory: string,
  logger: Logger,
  work: (database: Database) => Promise<unknown>,
): Promise<void> {
  const server = await startEmbeddedPostgres({ directory, logger });
  try {
    const database = openDatabase({ url: server.url, poolSize: 1, logger });
    await work(database).finally(() => database.close());
  } finally {
    await server.stop();
  }
}
