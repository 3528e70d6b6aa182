/**
 * A backup of the embedded database that is taken while it is written to starts again, as of one
 * moment, and is never half there.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/adapters/embedded-postgres/embedded-postgres.ts';
import { type Database, openDatabase } from '../../src/adapters/postgres/client/client.ts';
import { postgresOperatorQueries } from '../../src/adapters/postgres/operator-queries.ts';
import { type ProgramName, runHere, runScript } from '../support/operators/run-script.ts';
import { ownServerAvailable } from '../support/postgres/postgres.ts';
import { serversEndWithUs } from '../support/runtime/ends-with-us.ts';
import { needs } from '../support/runtime/needs.ts';
import { until } from '../support/runtime/poll.ts';
import { silentLogger as logger } from '../support/runtime/silent-logger.ts';

const TABLES = ['first', 'second', 'third'] as const;

describe.skipIf(!needs('postgres', ownServerAvailable()))('a backup while the service runs', () => {
  let base: string;
  let dataDir: string;
  let server: EmbeddedPostgres;
  let database: Database;
  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'quittance-backup-'));
    chmodSync(base, 0o755);
    dataDir = join(base, 'data');
    serversEndWithUs(base);
    // Held open, so that the scripts do not start it each time.
    server = await startEmbeddedPostgres({ directory: join(dataDir, 'postgres'), logger });
    database = openDatabase({ url: server.url, poolSize: 4, logger });
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
    rmSync(base, { recursive: true, force: true });
  });

  const run = (script: ProgramName, args: readonly string[], folder = dataDir) =>
    runHere(script, [...args, '--json'], { DATA_DIR: folder });

  /**
   * Writes one row into each table per transaction until it is stopped, and makes the server part
   * with its old log all the time.
   */
  function startWriting(): { stop(): Promise<number> } {
    let stopping = false;
    let written = 0;
    async function write(): Promise<void> {
      while (!stopping) {
        await database.transaction(async (sql) => {
          for (const table of TABLES)
            await sql.query(`insert into ${table} values ($1, repeat('x', 2000))`, [written + 1]);
        });
        written += 1;
      }
    }
    async function recycle(): Promise<void> {
      while (!stopping) {
        await database.query('select pg_switch_wal()');
        await database.script('checkpoint');
        await Bun.sleep(20);
      }
    }
    const ends = Promise.all([write(), recycle()]);
    return {
      async stop() {
        stopping = true;
        await ends;
        return written;
      },
    };
  }

  test('is a state that the database had, with the wallet and the signer’s log beside it, and starts', async () => {
    const made = await run('merchant', ['create', '--name', 'Shop']);
    expect(made.code).toBe(0);
    await writeFile(join(dataDir, 'issued-indexes.json'), '{"evm":256}');
    for (const table of TABLES)
      await database.script(`create table ${table} (n bigint primary key, filling text)`);
    const writer = startWriting();
    const count = async (from: Database, table: string): Promise<number> =>
      Number((await from.query<{ n: string }>(`select count(*) as n from ${table}`))[0]?.n);
    await until('some rows are written', 10_000, async () => (await count(database, 'first')) > 0);
    const before = await count(database, 'first');
    const copy = join(base, 'copy');
    const backup = await runScript('backup', ['--to', copy, '--json'], { DATA_DIR: dataDir }).finally(() =>
      writer.stop(),
    );
    expect(backup).toMatchObject({ code: 0, stderr: '' });
    const files = ['postgres', 'keystore.json', 'master.key', 'issued-indexes.json', 'signer.log'];
    expect(JSON.parse(backup.stdout)).toEqual({ folder: copy, files });
    const after = await writer.stop();
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(before);

    expect((await readdir(copy)).toSorted()).toEqual([...files, 'backup.json'].toSorted());
    expect(await readdir(base)).not.toContain('copy.partial');
    const restored = await startEmbeddedPostgres({ directory: join(copy, 'postgres'), logger });
    const there = openDatabase({ url: restored.url, poolSize: 1, logger });
    const counts = [];
    for (const table of TABLES) counts.push(await count(there, table));
    expect(new Set(counts).size).toBe(1);
    expect(counts[0]).toBeGreaterThanOrEqual(before);
    expect(counts[0]).toBeLessThanOrEqual(after);
    expect(await there.query('select max(n)::text as n from third')).toEqual([{ n: `${counts[0]}` }]);
    await there.close();
    const merchants = await run('merchant', ['list'], copy);
    expect(JSON.parse(merchants.stdout).merchants).toMatchObject([{ name: 'Shop' }]);
    await restored.stop();
    expect(await database.query('select slot_name from pg_replication_slots')).toEqual([]);
  });

  test('is recorded once it is complete; one that other tools made is recorded when they say so', async () => {
    const queries = postgresOperatorQueries(database);
    const made = await queries.newestBackup();
    expect(made?.kind).toBe('made');
    expect(Math.abs(Date.now() - (made?.at.getTime() ?? 0))).toBeLessThan(60_000);
    const own = { DATABASE_URL: server.url, MASTER_KEY: '11'.repeat(32), DATA_DIR: dataDir };
    expect(await runHere('backup', ['--note', '--json'], own)).toMatchObject({
      ...{ code: 0, stdout: '{"noted":true}\n', stderr: '' },
    });
    expect((await queries.newestBackup())?.kind).toBe('noted');
    for (const wrong of [[], ['--note', '--to', 'x'], ['--note', '--without-master-key']])
      expect((await runHere('backup', wrong, own)).code).toBe(2);
  });

  test('that the database cannot record is made all the same, and says so', async () => {
    await database.script('alter table newest_backup rename to away');
    const copy = join(base, 'unrecorded');
    const backup = await runScript('backup', ['--to', copy, '--json'], { DATA_DIR: dataDir });
    await database.script('alter table away rename to newest_backup');
    expect([backup.code, JSON.parse(backup.stdout).folder]).toEqual([0, copy]);
    expect(backup.stderr).toContain('"event":"backup.not_recorded"');
  });

  test('overwrites nothing, and leaves nothing half done', async () => {
    const taken = join(base, 'taken');
    await mkdir(taken);
    const refused = await run('backup', ['--to', taken]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `backup: ${taken} is there: nothing is overwritten\n`,
    ]);
    expect(await readdir(taken)).toEqual([]);
    const nothing = await run('backup', ['--to', join(base, 'new')], join(base, 'empty'));
    expect(nothing.stderr).toContain('there is no embedded database in');
    const own = { DATABASE_URL: server.url, MASTER_KEY: '11'.repeat(32), DATA_DIR: dataDir };
    const elsewhere = await runHere('backup', ['--to', join(base, 'new')], own);
    expect(elsewhere.stderr).toContain('pg_dump');
    await mkdir(join(base, 'new.partial'));
    expect((await run('backup', ['--to', join(base, 'new')])).stderr).toContain(
      'another backup is being made',
    );
    rmSync(join(base, 'new.partial'), { recursive: true });
    expect((await readdir(base)).filter((name) => name.startsWith('new'))).toEqual([]);
  });
});
