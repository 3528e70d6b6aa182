/** One PostgreSQL with one migrated database for every test process that is started with its environment. */
import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { openDatabase } from '../../src/adapters/postgres/client.ts';
import { createPostgresServer, nativeFolder } from './postgres-server.ts';
import { makeTemplate } from './postgres-template.ts';
import { silentLogger } from './silent-logger.ts';

/** A database of a test is a thousand files, which are made in memory at a fraction of what a disk asks of the processor. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/** Memory, where that much of it is free. */
function roomyFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < ROOM_BYTES ? tmpdir() : MEMORY;
}

export interface SharedPostgres {
  /** Variables by which tests/support/postgres.ts finds it; none where a server was given, or none can be had. */
  readonly env: Readonly<Record<string, string>>;
  /** Drops the databases that test processes left behind which did not end by themselves. None may run. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSharedPostgres(): Promise<SharedPostgres> {
  if (process.env.TEST_DATABASE_URL !== undefined || nativeFolder() === null)
    return { env: {}, sweep: async () => undefined, stop: async () => undefined };
  const server = await createPostgresServer({ under: roomyFolder(), settings: ['max_connections=500'] });
  const template = await makeTemplate(server);
  return {
    env: { TEST_DATABASE_URL: server.url('postgres'), TEST_DATABASE_TEMPLATE: template },
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
