/** A streaming replica of a test's server, by a copy of its running files. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { parseDatabaseUrl } from '../../../src/adapters/postgres/client/database-url.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { createPostgresServer, type PostgresServer } from './postgres-server.ts';

/** Gone with this process; destroy it before its primary. */
export function createReplica(primary: PostgresServer): Promise<PostgresServer> {
  const url = primary.url('postgres');
  const { username, places } = parseDatabaseUrl(url);
  const from = places.map(({ socketFolder, port }) => `host=${socketFolder} port=${port}`).join();
  const follow = `primary_conninfo=${from} user=${username}`;
  return createPostgresServer({
    settings: [follow, 'hot_standby=on', 'wal_retrieve_retry_interval=100ms'],
    async fill(data) {
      const administrator = openDatabase({ url, poolSize: 1, queryTimeoutMs: 60_000, logger: silentLogger });
      await administrator.session(async (on) => {
        await on.query("select pg_backup_start('replica', true)");
        spawnSync('cp', ['-a', primary.data, data]);
        const [backup] = await on.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
        rmSync(join(data, 'postmaster.pid'), { force: true });
        writeFileSync(join(data, 'backup_label'), backup?.labelfile ?? '');
        writeFileSync(join(data, 'standby.signal'), '');
      });
      await administrator.close();
    },
  });
}
