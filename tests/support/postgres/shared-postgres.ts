/**
 * One PostgreSQL with one migrated database, and one folder of temporary files, for every test
 * process that is started with its environment.
 */
import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { folderEndsWithUs } from '../runtime/ends-with-us.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { createPostgresServer, nativeFolder } from './postgres-server.ts';
import { makeTemplate } from './postgres-template.ts';

/**
 * Where the files of tests are made at a fraction of what a disk asks of the processor: a database
 * is a thousand of them, and nodes flush theirs at every block.
 */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * A statement is planned once for each connection, and not at each of its first five runs:
 * connections of tests do not live long.
 */
const SETTINGS = ['max_connections=500', 'plan_cache_mode=force_generic_plan'];

/** Memory, where that much of it is free. */
function roomyFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < ROOM_BYTES ? tmpdir() : MEMORY;
}

/** Open to all users, as such a folder is; gone when this process is. */
function temporaryFolder(under: string): string {
  const folder = mkdtempSync(join(under, 'quittance-tests-'));
  chmodSync(folder, 0o1777);
  folderEndsWithUs(folder);
  return folder;
}

export interface SharedPostgres {
  /**
   * Variables by which tests/support/postgres/postgres.ts finds it, unless a server was given or
   * none can be had, and TMPDIR.
   */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Drops the databases that test processes left behind which did not end by themselves. None may
   * run.
   */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSharedPostgres(): Promise<SharedPostgres> {
  const under = roomyFolder();
  const env = { TMPDIR: temporaryFolder(under) };
  if (process.env.TEST_DATABASE_URL !== undefined || nativeFolder() === null)
    return { env, sweep: async () => undefined, stop: async () => undefined };
  const server = await createPostgresServer({ under, settings: SETTINGS });
  const template = await makeTemplate(server);
  return {
    env: { ...env, TEST_DATABASE_URL: server.url('postgres'), TEST_DATABASE_TEMPLATE: template },
    async sweep() {
      const administrator = openDatabase({ url: server.url('postgres'), poolSize: 1, logger: silentLogger });
      const left = await administrator.query<{ name: string }>(
        "select datname as name from pg_database where datname like 'test\\_%'",
      );
      for (const { name } of left) await administrator.script(`drop database ${name} with (force)`);
      await administrator.close();
    },
    stop: () => server.destroy(),
  };
}
