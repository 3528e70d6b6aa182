/**
 * Toy money never becomes real: a database stays with the chains that it was used with, and a node
 * of another is never used.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { compose } from '../../../src/compose/compose.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import { type RpcProxy, startRpcProxy } from '../../support/chains/rpc-proxy.ts';
import { type Anvil, anvilAvailable, startAnvil } from '../../support/evm/anvil.ts';
import { runScript } from '../../support/operators/run-script.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { runUntilItEnds } from '../../support/runtime/service-process.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';
import { type Json, startTestService, TEST_MASTER_KEY, testConfig } from '../../support/test-service.ts';

const NOWHERE = 'http://127.0.0.1:1';
const INVOICE = { amount: 25, fiat_currency: 'USD', asset: 'eth_ethereum' };
const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);

describe.skipIf(!ready)('the chains of a database', () => {
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let database: TestDatabase;
  /** Two chains with one chain id. */
  let ours: Anvil;
  let other: Anvil;
  let node: RpcProxy;
  beforeAll(async () => {
    [ours, other] = await Promise.all([startAnvil(), startAnvil({ genesisTime: 1_700_000_000 })]);
    node = await startRpcProxy(ours.url);
  });
  afterAll(async () => {
    await node.stop();
    await Promise.all([ours.stop(), other.stop()]);
  });
  beforeEach(async () => {
    // A script that changes what the service relies on refuses a pooler, and sessions of one.
    [folder, database] = await Promise.all([temporaryDirectory(), testDatabase({ pooled: false })]);
    node.behave({});
  });
  afterEach(async () => {
    await database.drop();
    await folder.remove();
  });

  const env = () => ({
    ...{ DATABASE_URL: database.url, DATA_DIR: folder.path, MASTER_KEY: TEST_MASTER_KEY, PORT: '0' },
  });
  const onEthereum = (rpc: readonly string[], change = {}) => ({
    chains: { ethereum: { rpc, chain_id: 31_337, confirmations: 2, ...change } },
  });
  /** What composing threw, or null. */
  async function faultOf(change: Record<string, string>, file?: unknown): Promise<string | null> {
    try {
      const config = testConfig({ ...env(), ...change }, file);
      const service = await compose(config, { logger: silentLogger, schedule: false });
      await service.stop();
      return null;
    } catch (error) {
      return String(error);
    }
  }
  /** On a connection that is gone afterwards: forgetting is refused while there is another. */
  async function query<Row extends object>(text: string): Promise<readonly Row[]> {
    const once = openDatabase({ url: database.url, poolSize: 1, logger: silentLogger });
    return once.query<Row>(text).finally(() => once.close());
  }
  const identities = () =>
    query<{ chain: string; network: string; genesis: string | null }>(
      'select chain, network, genesis from chain_identities order by chain',
    );
  const genesisOf = async ({ rpc }: Anvil) =>
    (await rpc<{ hash: string }>('eth_getBlockByNumber', ['0x0', false])).hash;

  test('K3: a database of fake chains is not opened with real ones, and the message names both', async () => {
    expect(await faultOf({ CHAINS: 'fake' })).toBeNull();
    const bitcoin = { chains: { bitcoin: { rpc: [NOWHERE], network: 'regtest' } } };
    const fault = await faultOf({}, bitcoin);
    expect(fault).toContain('was used with CHAINS=fake');
    expect(fault).toContain('bitcoin: the database has fake, this start regtest');
    expect(fault).toContain(`the database ${/test_[0-9a-f]+/.exec(database.url)?.[0]} on `);
    expect(await faultOf({})).toBeNull();
    expect(await faultOf({ CHAINS: 'fake' })).toBeNull();
    expect((await identities()).every(({ network }) => network === 'fake')).toBe(true);
  });

  test('K3: CHAINS=fake is refused on a database that saw a real chain, and the process ends with 1', async () => {
    expect(await faultOf({}, onEthereum([NOWHERE]))).toBeNull();
    const { code, stderr } = await runUntilItEnds({ ...env(), CHAINS: 'fake' });
    expect(code).toBe(1);
    expect(stderr).toContain('was used with real chains, and CHAINS=fake would mix them');
    expect(stderr).toContain('ethereum: the database has eip155:31337, this start fake');
    expect(await identities()).toEqual([{ chain: 'ethereum', network: 'eip155:31337', genesis: null }]);
  });

  test('K3: a database of an earlier version knows fake chains by their blocks', async () => {
    const it = await startTestService({
      env: { CHAINS: 'fake' },
      databaseUrl: database.url,
      dataDir: folder.path,
    });
    await it.stop();
    await query('delete from chain_identities');
    expect(await faultOf({}, onEthereum([NOWHERE]))).toContain('the database has fake');
    await query(`update chain_blocks set hash = '0x' || hash`);
    expect(await faultOf({ CHAINS: 'fake' })).toContain('the database has a real chain, this start fake');
    expect(await faultOf({}, onEthereum([NOWHERE]))).toBeNull();
  });

  test('K3: a chain stays on its network', async () => {
    expect(await faultOf({}, onEthereum([NOWHERE]))).toBeNull();
    const fault = await faultOf({}, onEthereum([NOWHERE], { chain_id: 1 }));
    expect(fault).toContain('ethereum: the database has eip155:31337, this start eip155:1');
    const bitcoin = (network: string) => ({ chains: { bitcoin: { rpc: [NOWHERE], network } } });
    expect(await faultOf({}, bitcoin('test'))).toBeNull();
    expect(await faultOf({}, bitcoin('main'))).toContain('bitcoin: the database has test, this start main');
  });

  /** A service that is started, with the alarms that it raised. */
  async function started(rpc: readonly string[]) {
    const alarms: Json[] = [];
    const logger: Logger = { ...silentLogger, error: (event, fields) => alarms.push({ event, ...fields }) };
    const it = await startTestService({
      ...{ databaseUrl: database.url, dataDir: folder.path },
      file: onEthereum(rpc),
      overrides: { logger },
    });
    return { it, alarms };
  }

  test('K3: a node whose first block is another is not used, in a pool and alone, and alone it stops the start', async () => {
    const first = await started([node.url]);
    await first.it.stop();
    const genesis = { noted: await genesisOf(ours), found: await genesisOf(other) };
    expect(genesis.noted).not.toBe(genesis.found);
    expect(await identities()).toEqual([
      { chain: 'ethereum', network: 'eip155:31337', genesis: genesis.noted },
    ]);

    const pool = await started([other.url, node.url]);
    const { live } = await pool.it.merchant();
    expect((await pool.it.call(live, 'POST', '/api/v2/invoices', INVOICE)).status).toBe(201);
    const alarm = { event: 'node.foreign_chain', chain: 'ethereum', ...genesis };
    expect(pool.alarms).toContainEqual(expect.objectContaining(alarm));
    await pool.it.stop();

    const fault = await started([other.url]).catch(String);
    expect(fault).toContain(`ethereum: the first block of the database's is ${genesis.noted}`);
    expect(fault).toContain(genesis.found);
  });

  test('K3: a test chain that began anew is forgotten on demand, unless money is booked on it', async () => {
    await (await started([node.url])).it.stop();
    const chains = (...args: string[]) => runScript('chains', args, env());
    expect((await chains('list')).stdout).toMatch(/^CHAIN +NETWORK +FIRST BLOCK\nethereum +eip155:31337 +0x/);
    expect((await chains('forget', 'bitcoin')).stderr).toContain('was never used with bitcoin');
    const forgotten = await chains('forget', 'ethereum');
    expect(forgotten).toMatchObject({ code: 0, stdout: expect.stringContaining('ethereum is forgotten') });
    const { entries } = JSON.parse((await runScript('audit', ['list', '--json'], env())).stdout);
    expect(entries).toMatchObject([{ action: 'chain.forgotten', subject_id: 'ethereum' }]);
    const { it } = await started([other.url]);
    const { live } = await it.merchant();
    const invoice = (await it.call(live, 'POST', '/api/v2/invoices', INVOICE)).body.result;
    expect(await chains('forget', 'ethereum')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('stop the service first'),
    });
    const from = other.accounts[0]?.address;
    const value = `0x${unitsOf(String(invoice.amount), 18).toString(16)}`;
    await other.rpc('eth_sendTransaction', [{ from, to: invoice.address_to, value }]);
    await other.mine(3);
    await it.settle();
    await it.stop();
    const booked = await chains('forget', 'ethereum');
    expect(booked.code).toBe(1);
    expect(booked.stderr).toMatch(/is booked in the database .* \(deposits: 1/);
    expect(await identities()).toHaveLength(1);
  });

  test('K3: a node that was away at the start is checked before a block is read or an address given out', async () => {
    await (await started([node.url])).it.stop();
    node.behave({ drop: true });
    const { it, alarms } = await started([node.url]);
    const { live } = await it.merchant();
    const status = async () => (await it.call(live, 'POST', '/api/v2/invoices', INVOICE)).status;
    expect(await status()).toBe(503);
    node.behave({ target: other.url });
    await it.settle();
    expect(await status()).toBe(503);
    expect(alarms).toContainEqual(expect.objectContaining({ event: 'node.foreign_chain' }));
    await it.stop();
  });

  test('K3: a node that another chain answers for in the middle of a run is found out before anything is taken back or credited', async () => {
    const { it, alarms } = await started([node.url]);
    const { live } = await it.merchant();
    const invoice = (await it.call(live, 'POST', '/api/v2/invoices', INVOICE)).body.result;
    const status = async () =>
      (await it.call(live, 'GET', `/api/v2/invoices/${invoice.order_id}`)).body.result.status;
    const value = `0x${unitsOf(String(invoice.amount), 18).toString(16)}`;
    await other.rpc('eth_sendTransaction', [
      { from: other.accounts[0]?.address, to: invoice.address_to, value },
    ]);
    await other.mine(40);
    node.behave({ target: other.url });
    await it.settle();
    expect(await status()).toBe('created');
    expect(alarms).toContainEqual(expect.objectContaining({ event: 'node.foreign_chain' }));
    await it.stop();
  });
});
