/**
 * A backup of the database is put back: no address that was given out since is given out again, in
 * any family.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordingLogger } from '../../support/evm/evm-lab.ts';
import { databaseBackup } from '../../support/postgres/database-backup.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { testClock } from '../../support/runtime/test-clock.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

/** One of each family. */
const ASSETS = [
  'eth_ethereum',
  'btc_bitcoin',
  'ltc_litecoin',
  'bch_bitcoincash',
  'usdt_tron',
  'sol_solana',
  'xrp_xrp',
  'ton_ton',
  'xmr_monero',
];

describe.skipIf(!needs('postgres', postgresAvailable()))('addresses after a backup was put back', () => {
  let database: TestDatabase;
  let kept: ReturnType<typeof databaseBackup>;
  let dataDir: string;
  const clock = testClock();
  const started: TestService[] = [];
  const folders: string[] = [];
  beforeEach(async () => {
    database = await testDatabase();
    kept = databaseBackup(database.url);
    dataDir = await folder();
  });
  afterEach(async () => {
    for (const it of started.splice(0)) await it.stop();
    await kept.close();
    await database.drop();
    for (const path of folders.splice(0)) await rm(path, { recursive: true, force: true });
  });

  async function folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'quittance-test-'));
    folders.push(path);
    return path;
  }

  async function start(directory = dataDir) {
    const logger = recordingLogger();
    const it = await startTestService({
      ...{ databaseUrl: database.url, dataDir: directory },
      env: { CHAINS: 'fake' },
      overrides: { clock, logger },
    });
    started.push(it);
    await it.settle(1);
    return { it, lines: logger.lines };
  }

  /** As many invoices as one of each family, a live and a sandbox one: the addresses. */
  async function addressesFrom(it: TestService): Promise<readonly string[]> {
    const { live, sandbox } = await it.merchant();
    const addresses: string[] = [];
    for (const key of [live, sandbox])
      for (const asset of ASSETS) {
        const body = { amount: 25, fiat_currency: 'USD', asset };
        const answer = await it.call(key, 'POST', '/api/v2/invoices', body);
        expect(answer.body).toMatchObject({ ok: true });
        addresses.push(answer.body.result.address_to);
      }
    return addresses;
  }

  async function stop(it: TestService): Promise<void> {
    started.splice(started.indexOf(it), 1);
    await it.stop();
  }

  const isAlarm = ({ event }: { event: string }) => event === 'addresses.database_behind';

  test('K5: none is given out twice, and the host that gave them out says that the database is behind', async () => {
    const first = await start();
    const before = [...(await addressesFrom(first.it))];
    await kept.take();
    for (let round = 0; round < 2; round += 1) {
      const { it } = await start();
      before.push(...(await addressesFrom(it)));
      await stop(it);
    }
    await stop(first.it);
    await kept.putBack();
    const { it, lines } = await start();
    noneTwice(before, await addressesFrom(it));
    expect(lines.filter(isAlarm)).toHaveLength(1);
  });

  test('K5: none is given out twice by a process that ran on while the backup was put back', async () => {
    const { it } = await start();
    const { live } = await it.merchant();
    const body = { amount: 25, fiat_currency: 'USD', asset: 'eth_ethereum' };
    const given: string[] = [];
    // Pools are filled with 256 at a time.
    const give = async (count: number) => {
      for (let made = 0; made < count; made += 50) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => it.call(live, 'POST', '/api/v2/invoices', body)),
        );
        given.push(...answers.map((answer) => answer.body.result.address_to));
      }
    };
    await give(50);
    await kept.take();
    await give(250);
    await kept.putBack();
    await give(250);
    expect(new Set(given).size).toBe(550);
  });

  test('K5: none is given out twice where the mark of this host is as old as the backup', async () => {
    const first = await start();
    await stop(first.it);
    await kept.take();
    const before: string[] = [];
    const dataDirThen = await folder();
    await cp(dataDir, dataDirThen, { recursive: true });
    const second = await start();
    before.push(...(await addressesFrom(second.it)));
    await stop(second.it);
    clock.advance(600);
    await kept.putBack();
    const { it } = await start(dataDirThen);
    noneTwice(before, await addressesFrom(it));
  });

  test('K5: none is given out twice by a host that knows nothing of those that another one gave out', async () => {
    const worker = await start();
    const before = [...(await addressesFrom(worker.it))];
    await kept.take();
    const elsewhere = await folder();
    await cp(join(dataDir, 'keystore.json'), join(elsewhere, 'keystore.json'));
    const other = await start(elsewhere);
    before.push(...(await addressesFrom(other.it)));
    await stop(worker.it);
    await stop(other.it);
    clock.advance(600);
    await kept.putBack();
    const { it, lines } = await start();
    noneTwice(before, await addressesFrom(it));
    expect(lines.filter(isAlarm)).toEqual([]);
  });

  test('K5: none is given out twice by a host without a mark, once one that has it was started', async () => {
    const first = await start();
    await kept.take();
    const { it: ours } = await start();
    const before = await addressesFrom(ours);
    await stop(ours);
    await stop(first.it);
    await kept.putBack();
    await start();
    const elsewhere = await folder();
    await cp(join(dataDir, 'keystore.json'), join(elsewhere, 'keystore.json'));
    noneTwice(before, await addressesFrom((await start(elsewhere)).it));
  });

  test('K5: a mark that cannot be read stops the start, and one that is gone is told', async () => {
    const first = await start();
    await addressesFrom(first.it);
    await stop(first.it);
    const mark = join(dataDir, 'issued-indexes.json');
    await writeFile(mark, '{"evm": "many"}');
    await expect(start()).rejects.toThrow(/does not say how many addresses were given out/);
    await rm(mark);
    const { lines } = await start();
    expect(lines.map(({ event }) => event)).toContain('addresses.mark_missing');
    expect(JSON.parse(await readFile(mark, 'utf8'))).toMatchObject({ evm: expect.any(Number) });
  });

  function noneTwice(before: readonly string[], after: readonly string[]): void {
    expect(new Set([...before, ...after]).size).toBe(before.length + after.length);
  }
});
