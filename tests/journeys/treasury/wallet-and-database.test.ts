/**
 * A database is opened with its own wallet only, and a wallet is made only where neither was ever
 * used.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyFingerprints } from '../../../src/adapters/signer/key-fingerprints.ts';
import { openKeystore, readPublicKeys } from '../../../src/adapters/signer/keystore.ts';
import type { PublicKeys } from '../../../src/adapters/signer/keystore-file.ts';
import { compose } from '../../../src/compose/compose.ts';
import { type KeyFingerprint, shortFingerprint } from '../../../src/domain/chains/wallet-keys.ts';
import * as evmOnly from '../../support/evm/evm-only-keystore.ts';
import { MERCHANT as MONERO } from '../../support/monero/monero-lab.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { runUntilItEnds } from '../../support/runtime/service-process.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';
import { startTestService, TEST_MASTER_KEY, testConfig } from '../../support/test-service.ts';

const masterKey = Buffer.from(TEST_MASTER_KEY, 'hex');

describe.skipIf(!needs('postgres', postgresAvailable()))('a wallet and its database', () => {
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let database: TestDatabase;
  /** The folder of the wallet that the database belongs to. */
  let dataDir: string;
  let keystore: string;
  let fingerprint: string;

  beforeAll(async () => {
    [folder, database] = await Promise.all([temporaryDirectory(), testDatabase()]);
    dataDir = join(folder.path, 'data');
    keystore = join(dataDir, 'keystore.json');
    const it = await startTestService({ databaseUrl: database.url, dataDir });
    const { sandbox } = await it.merchant();
    const invoice = { amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum' };
    expect((await it.call(sandbox, 'POST', '/api/v2/invoices', invoice)).status).toBe(201);
    await it.stop();
    const [evm] = keyFingerprints(await readPublicKeys(dataDir));
    fingerprint = shortFingerprint(evm?.fingerprint ?? '');
  });
  afterAll(async () => {
    await database.drop();
    await folder.remove();
  });

  const env = (change: Record<string, string> = {}) => ({
    ...{ DATABASE_URL: database.url, DATA_DIR: dataDir, MASTER_KEY: TEST_MASTER_KEY, PORT: '0' },
    ...change,
  });
  /** Starts and stops; what the start threw, or null. */
  async function faultOf(change: Record<string, string> = {}, file?: unknown): Promise<unknown> {
    try {
      const service = await compose(testConfig(env(change), file), { logger: silentLogger, schedule: false });
      await service.stop();
      return null;
    } catch (error) {
      return error;
    }
  }
  const noted = async (of: TestDatabase = database) =>
    of.database.query<KeyFingerprint>(
      'select family, fingerprint from wallet_keys where replaced_at is null order by family',
    );
  const ofKeys = (keys: PublicKeys) =>
    keyFingerprints(keys).toSorted((a, b) => (a.family < b.family ? -1 : 1));
  /** A folder with a wallet of its own. */
  async function otherWallet(name: string): Promise<string> {
    const directory = join(folder.path, name);
    await openKeystore({ directory, masterKey, createIfMissing: true });
    return directory;
  }

  test('K1: a start without the keystore of its database is refused, says what to put back, and makes nothing', async () => {
    const empty = join(folder.path, 'not-mounted');
    await mkdir(empty);
    for (const role of ['all', 'api', 'worker']) {
      const { code, stderr } = await runUntilItEnds(env({ DATA_DIR: empty, ROLE: role }));
      expect(code).toBe(1);
      expect(stderr).toStartWith(
        `Quittance cannot start: the wallet is not here: there is no keystore.json in ${empty}`,
      );
      expect(stderr).toContain(`its fingerprint of evm must be ${fingerprint}`);
      expect(stderr).toContain('bun run wallet replace');
    }
    expect(await readdir(empty)).toEqual([]);
    await copyFile(keystore, join(empty, 'keystore.json'));
    expect(await faultOf({ DATA_DIR: empty })).toBeNull();
  });

  test("K1: the signer's process is refused alike, and without its database it makes no wallet either", async () => {
    const empty = join(folder.path, 'signer');
    await mkdir(empty);
    const lost = await runUntilItEnds(env({ DATA_DIR: empty }), 'signer');
    expect(lost.code).toBe(1);
    expect(lost.stderr).toStartWith('the signer cannot start: the wallet is not here');
    const away = env({ DATA_DIR: empty, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    const blind = await runUntilItEnds(away, 'signer');
    expect(blind.code).toBe(1);
    expect(blind.stderr).toContain('the database is away');
    expect(await readdir(empty)).toEqual([]);
  });

  test('K1: of several processes that start at once on an empty database one makes the wallet', async () => {
    const fresh = await testDatabase();
    const folders = ['one', 'two', 'three'].map((name) => join(folder.path, name));
    const faults = await Promise.all(
      folders.map((directory) => faultOf({ DATA_DIR: directory, DATABASE_URL: fresh.url })),
    );
    expect(faults.filter((fault) => fault === null)).toHaveLength(1);
    for (const [position, fault] of faults.entries()) {
      const made = await Bun.file(join(folders[position]!, 'keystore.json')).exists();
      expect(made).toBe(fault === null);
      if (fault !== null) expect(fault).toMatchObject({ name: 'WalletRefused', fault: 'keystore_lost' });
    }
    const winner = folders[faults.indexOf(null)]!;
    expect(await noted(fresh)).toEqual(ofKeys(await readPublicKeys(winner)));
    await fresh.drop();
  });

  test('K2: a start with another wallet is refused in every role, and changes neither file nor database', async () => {
    const directory = await otherWallet('other');
    const [file, before] = [await readFile(join(directory, 'keystore.json'), 'utf8'), await noted()];
    const socket = { SIGNER_SOCKET: join(directory, 'signer.sock') };
    for (const role of [{}, { ROLE: 'api' }, { ROLE: 'worker' }, { ROLE: 'worker', ...socket }]) {
      const fault = await faultOf({ DATA_DIR: directory, ...role });
      expect(fault).toMatchObject({ name: 'WalletRefused', fault: 'another_wallet' });
      expect(String(fault)).toContain(`evm: the database has ${fingerprint}, this one is `);
      expect(String(fault)).toContain(`${directory}/keystore.json is another wallet`);
    }
    const signer = await runUntilItEnds(env({ DATA_DIR: directory }), 'signer');
    expect(signer).toMatchObject({ code: 1, stderr: expect.stringContaining('is another wallet') });
    expect(await readFile(join(directory, 'keystore.json'), 'utf8')).toBe(file);
    expect(await readdir(directory)).toEqual(['keystore.json']);
    expect(await noted()).toEqual(before);
    expect(await faultOf()).toBeNull();
  });

  test('K2: a public key that was swapped on an api host is noticed', async () => {
    const directory = await otherWallet('swapped');
    const file = JSON.parse(await readFile(keystore, 'utf8'));
    const other = await readPublicKeys(directory);
    const swapped = { ...file, public: { ...file.public, tron: other.tron } };
    await writeFile(join(directory, 'keystore.json'), JSON.stringify(swapped));
    const fault = await faultOf({ DATA_DIR: directory, ROLE: 'api' });
    expect(String(fault)).toMatch(/ {2}tron: the database has [0-9a-f]{16}, this one is [0-9a-f]{16}/);
    expect(String(fault)).not.toContain(' evm: ');
  });

  test("K2: another Monero wallet is refused, and its database's is not", async () => {
    const { primaryAddress, viewKey, network } = MONERO;
    const monero = {
      ...{ rpc: ['http://127.0.0.1:1'], wallet_rpc: 'http://127.0.0.1:1' },
      ...{ primary_address: primaryAddress, view_key: viewKey, network },
    };
    const file = { chains: { monero } };
    expect(await faultOf({}, file)).toBeNull();
    expect(await faultOf({}, file)).toBeNull();
    await database.database.query(
      `update wallet_keys set fingerprint = repeat('0', 64) where family = 'monero'`,
    );
    const fault = await faultOf({}, file);
    expect(fault).toMatchObject({ name: 'WalletRefused', fault: 'another_wallet' });
    expect(String(fault)).toContain('chains.monero.primary_address of CONFIG_FILE');
    await database.database.query(`delete from wallet_keys where family = 'monero'`);
  });

  describe('of an earlier version, which noted no fingerprints', () => {
    let before: Awaited<ReturnType<typeof noted>>;
    beforeEach(async () => {
      before = await noted();
      await database.database.query('delete from wallet_keys');
    });
    afterEach(async () => {
      expect(await faultOf()).toBeNull();
      expect(await noted()).toEqual(before);
    });

    test('K2: the database takes the wallet that derives its addresses, and no other', async () => {
      const directory = await otherWallet('upgraded');
      const fault = await faultOf({ DATA_DIR: directory });
      expect(fault).toMatchObject({ name: 'WalletRefused', fault: 'addresses_differ' });
      expect(String(fault)).toMatch(/0x[0-9a-f]{40} \(evm, index \d+\) is not one of its own/);
      expect(await noted()).toEqual([]);
    });

    test('K1: no wallet is made for it', async () => {
      const empty = join(folder.path, 'upgraded-empty');
      expect(await faultOf({ DATA_DIR: empty })).toMatchObject({ fault: 'keystore_lost' });
      expect(await Bun.file(join(empty, 'keystore.json')).exists()).toBe(false);
    });

    test('K2: an api host does not decide whose it is', async () => {
      expect(await faultOf({ ROLE: 'api' })).toMatchObject({ fault: 'not_noted_yet' });
      expect(await noted()).toEqual([]);
    });
  });

  test('K2: keys of families that came later are noted by whoever can prove them', async () => {
    const fresh = await testDatabase();
    const directory = join(folder.path, 'later-families');
    await mkdir(directory);
    await writeFile(join(directory, 'keystore.json'), JSON.stringify(evmOnly.EVM_ONLY));
    const of = { DATABASE_URL: fresh.url, DATA_DIR: directory };
    const keys = { ...of, MASTER_KEY: Buffer.from(evmOnly.masterKey).toString('hex') };
    const socket = { SIGNER_SOCKET: join(directory, 'signer.sock') };
    expect(await faultOf({ ...keys, ROLE: 'worker', ...socket })).toBeNull();
    expect(await noted(fresh)).toHaveLength(1);
    expect(await faultOf(keys)).toBeNull();
    const all = await readPublicKeys(directory);
    expect(await noted(fresh)).toEqual(ofKeys(all));
    await fresh.drop();
  });

  test('K1: a master key is not made again where something was sealed with one', async () => {
    const own = join(folder.path, 'own-database');
    const bare = { DATA_DIR: own, DATABASE_URL: '', MASTER_KEY: '' };
    expect(await faultOf(bare)).toBeNull();
    await rm(join(own, 'master.key'));
    const fault = await faultOf(bare);
    expect(fault).toMatchObject({ name: 'WalletRefused', fault: 'master_key_lost' });
    expect(String(fault)).toContain(`the database in ${own}/postgres`);
    expect(await readdir(own)).not.toContain('master.key');
  });
});
