/**
 * A database that gets another wallet: what the former one gave out takes no payments, and nothing
 * of it is swept, spent or signed for.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { readPublicKeys } from '../../../src/adapters/signer/keystore.ts';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { thawAddress } from '../../../src/app/treasury/treasury.ts';
import { treasuryChains } from '../../../src/compose/treasury.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { SignerUnavailable } from '../../../src/ports/sending/signer.ts';
import { aUtxo } from '../../support/chains/utxo-builders.ts';
import { type Anvil, anvilAvailable, startAnvil } from '../../support/evm/anvil.ts';
import { runScript } from '../../support/operators/run-script.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';
import {
  type Json,
  startTestService,
  TEST_MASTER_KEY,
  type TestService,
} from '../../support/test-service.ts';

const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);
const INVOICE = { amount: 40, fiat_currency: 'USD', asset: 'eth_ethereum' };
const UNDERSTOOD = '--former-money-needs-the-former-seed';

/** Behind one, a script that replaces a wallet cannot see whether the service runs. */
const WITHOUT_POOLER = { pooled: false };

describe.skipIf(!ready)('a wallet', () => {
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let database: TestDatabase;
  let anvil: Anvil;
  let it: TestService;
  let live: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    [folder, database, anvil] = await Promise.all([
      temporaryDirectory(),
      testDatabase(WITHOUT_POOLER),
      startAnvil(),
    ]);
    env = { DATABASE_URL: database.url, DATA_DIR: folder.path, MASTER_KEY: TEST_MASTER_KEY };
  });
  afterAll(async () => {
    await it.stop();
    await Promise.all([anvil.stop(), database.drop(), folder.remove()]);
  });

  const start = (signs = true) =>
    startTestService({
      ...{ databaseUrl: database.url, dataDir: folder.path },
      file: {
        chains: { ethereum: { rpc: [anvil.url], chain_id: 31_337, confirmations: 2 } },
        assets: { usdt_ethereum: { enabled: false }, usdc_ethereum: { enabled: false } },
      },
      overrides: {
        sending: (chain) => {
          const sign = () => Promise.reject(new SignerUnavailable('away'));
          return signs ? chain : { ...chain, signer: { ...chain.signer, sign } };
        },
      },
    });
  const ask = async (method: string, path: string, body?: unknown, headers = {}): Promise<Json> =>
    (await it.call(live, method, `/api/v2${path}`, body, headers)).body.result;
  const permanent = () => ask('POST', '/permanent', { user_id: 'user-1', family: 'evm' });
  /** On a connection that is gone afterwards: replacing is refused while there is another. */
  async function rows<Row extends object>(text: string): Promise<readonly Row[]> {
    const once = openDatabase({ url: database.url, poolSize: 1, logger: silentLogger });
    return once.query<Row>(text).finally(() => once.close());
  }
  async function fund(to: string, amount: string): Promise<void> {
    const value = `0x${unitsOf(amount, 18).toString(16)}`;
    await anvil.rpc('eth_sendTransaction', [{ from: anvil.accounts[0]?.address, to, value }]);
    await anvil.mine(3);
    await it.settle();
  }
  const hotWallet = () => it.service.chains.liveDerivers.get('evm')?.hotWallet() ?? '';
  const replaceWallet = (...args: string[]) => runScript('wallet', ['replace', ...args, '--json'], env);

  test('K2: is replaced on purpose only, and what it gave out is left to its seed', async () => {
    it = await start(false);
    live = (await it.merchant()).live;
    const former = { permanent: (await permanent()).address, hot: hotWallet() };
    const invoice = await ask('POST', '/invoices', INVOICE);
    await fund(invoice.address_to, String(invoice.amount));
    expect((await ask('GET', `/invoices/${invoice.order_id}`)).status).toBe('success');
    await fund(former.hot, '1');
    const payout = { amount: 0.002, asset: 'eth_ethereum', address: anvil.accounts[5]?.address };
    await ask('POST', '/payouts', payout, { 'x-uniq-id': crypto.randomUUID() });
    await it.settle();
    const transfers = () => rows('select status, failure_code from outgoing_transfers order by created_at');
    expect(await transfers()).toEqual([{ status: 'allocated', failure_code: null }]);
    const coin = aUtxo();
    await it.service.dependencies.unitOfWork.run(async ({ utxos, addresses }) => {
      await utxos.insert('bitcoin', [coin]);
      await utxos.settle('bitcoin', coin.txid, 5);
      await addresses.addDerived({ family: 'solana', from: 0, addresses: ['of-the-former-seed'] });
    });
    const spendableUtxos = () =>
      it.service.dependencies.unitOfWork.run(({ utxos }) => utxos.freeUnits('bitcoin', 9));
    expect(await spendableUtxos()).toBe(50_000n);
    expect((await replaceWallet(UNDERSTOOD)).stderr).toContain('stop the service first');
    await it.stop();

    expect((await replaceWallet()).code).toBe(2);
    expect((await replaceWallet(UNDERSTOOD)).stderr).toContain('belongs to the wallet of');
    const keystore = join(folder.path, 'keystore.json');
    await rename(keystore, `${keystore}.lost`);
    const replaced = await replaceWallet(UNDERSTOOD);
    expect(replaced.code).toBe(0);
    expect(JSON.parse(replaced.stdout)).toMatchObject({
      unsigned: 1,
      signed: 0,
      families: expect.arrayContaining(['evm', 'solana']),
    });
    expect((await readPublicKeys(folder.path)).evm.xpub).not.toBe(
      (await Bun.file(`${keystore}.lost`).json()).public.evm.xpub,
    );

    const audited = await rows<{ after: string }>(
      `select after from audit_log where action = 'wallet.replaced'`,
    );
    expect(audited.map(({ after }) => JSON.parse(after).families)).toEqual([
      expect.arrayContaining(['evm', 'solana']),
    ]);

    it = await start();
    expect(await transfers()).toEqual([{ status: 'failed', failure_code: 'wallet_replaced' }]);
    expect(await rows('select from derived_addresses')).toEqual([]);
    expect(await spendableUtxos()).toBe(0n);
    expect(hotWallet()).not.toBe(former.hot);
    await fund(former.permanent, '0.01');
    const strays = await it.service.dependencies.operatorQueries.deposits({
      ...{ statuses: ['stray'], sandbox: false, limit: 10 },
    });
    expect(strays).toMatchObject([
      { address: former.permanent.toLowerCase(), strayReason: 'frozen_address' },
    ]);
    expect((await permanent()).address).not.toBe(former.permanent);
    const given = { chain: 'ethereum', address: former.permanent.toLowerCase() };
    expect(await thawAddress(it.service.dependencies)(given)).toMatchObject({ ok: false });
    const on = treasuryChains(it.service.chains, it.service.dependencies).get('ethereum');
    if (!on) throw new Error('ethereum has no treasury');
    expect(await requestSweeps(it.service.dependencies, on, { asset: null, address: null })).toEqual([]);

    await fund(hotWallet(), '1');
    await it.settle();
    await anvil.mine(3);
    await it.settle();
    expect(await ask('GET', '/payouts')).toMatchObject([{ status: 'success' }]);
    const sent = await rows<{ wallet: string }>(
      `select wallet from outgoing_transfers where status = 'confirmed'`,
    );
    expect(sent).toEqual([{ wallet: hotWallet().toLowerCase() }]);
  });

  test('K2: on a database of an earlier version is replaced in the families whose addresses tell it, and noted in the others', async () => {
    const [fresh, earlier] = [await temporaryDirectory(), await testDatabase(WITHOUT_POOLER)];
    const service = await startTestService({ databaseUrl: earlier.url, dataDir: fresh.path });
    const { sandbox } = await service.merchant();
    const invoice = { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron' };
    expect((await service.call(sandbox, 'POST', '/api/v2/invoices', invoice)).status).toBe(201);
    await service.stop();
    const once = openDatabase({ url: earlier.url, poolSize: 1, logger: silentLogger });
    await once.query('delete from wallet_keys').finally(() => once.close());
    await rm(join(fresh.path, 'keystore.json'));
    const on = { ...env, DATABASE_URL: earlier.url, DATA_DIR: fresh.path };
    const replaced = await runScript('wallet', ['replace', UNDERSTOOD, '--json'], on);
    expect(JSON.parse(replaced.stdout)).toMatchObject({ families: ['tron'], addresses: 1 });
    const again = await startTestService({ databaseUrl: earlier.url, dataDir: fresh.path });
    await again.stop();
    await earlier.drop();
    await fresh.remove();
  });
});
