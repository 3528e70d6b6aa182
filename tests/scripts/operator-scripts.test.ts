/** The operators' scripts as processes, on the database of a service that runs meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/adapters/postgres/client.ts';
import { unitsOf } from '../../src/domain/decimal.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';
import { runScript, type ScriptEnd } from '../support/run-script.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { type TestClock, testClock } from '../support/test-clock.ts';
import { type Json, startTestService, TEST_MASTER_KEY, type TestService } from '../support/test-service.ts';

const BAD_SENDER = `0x${'bad0'.repeat(10)}`;
const UNKNOWN_ID = 'ffffffffffffffffffffffff';

describe.skipIf(!needs('postgres', postgresAvailable()))('operators at work', () => {
  let clock: TestClock;
  let it: TestService;
  let dataDir: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'quittance-test-'));
    // the scripts go by the real clock, so what they queue must be due for this service
    clock = testClock(new Date());
    it = await startTestService({
      env: { CHAINS: 'fake' },
      file: { risk: { deny: [BAD_SENDER] } },
      dataDir,
      overrides: { clock },
    });
    const configFile = join(dataDir, 'config.json');
    writeFileSync(
      configFile,
      JSON.stringify({ rates: { source: 'static', usd: { usdt_ethereum: '1' } }, commission_percent: '2.5' }),
    );
    env = {
      DATABASE_URL: it.databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      DATA_DIR: dataDir,
      CONFIG_FILE: configFile,
    };
    await it.settle();
  });
  afterAll(async () => {
    await it.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const run = (script: string, ...args: string[]): Promise<ScriptEnd> => runScript(script, args, env);
  /** The one line of JSON of a script that must succeed. */
  async function json(script: string, ...args: string[]): Promise<Json> {
    const { code, stdout, stderr } = await run(script, ...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    return JSON.parse(stdout);
  }
  async function refusal(script: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(script, ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    return stderr;
  }
  const status = async (key: string, method = 'GET', path = '/api/v2/balance', body?: unknown) =>
    (await it.call(key, method, path, body)).status;
  async function invoice(key: string, body: Json = {}): Promise<Json> {
    const answer = await it.call(key, 'POST', '/api/v2/invoices', {
      amount: 25,
      fiat_currency: 'USD',
      asset: 'usdt_ethereum',
      ...body,
    });
    expect(answer.status).toBe(201);
    return answer.body.result;
  }
  const chain = () => {
    const fake = it.service.chains.fakes?.get('ethereum');
    if (!fake) throw new Error('the fake chains are not there');
    return fake.control;
  };
  async function payToFinality(to: string, amount: string, from?: string): Promise<string> {
    const { txid } = chain().pay({
      to,
      asset: 'usdt_ethereum',
      units: unitsOf(amount, 6),
      ...(from === undefined ? {} : { from }),
    });
    chain().mine(13);
    await it.settle();
    return txid;
  }

  test('a merchant is created, verified, changed and listed, and its keys work and stop working', async () => {
    const made = await json('merchant', 'create', '--name', 'Corner shop', '--allow', '10.1.2.3/8');
    expect(made).toEqual({
      merchant_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Corner shop',
      sandbox_key: expect.stringMatching(/^sk_sandbox_[0-9a-f]{48}$/),
      live_key: null,
    });
    const id: string = made.merchant_id;
    expect(await status(made.sandbox_key)).toBe(200);

    expect(await refusal('merchant', 'rotate-key', id, '--environment', 'live')).toContain('verified');
    const verified = await json('merchant', 'verify', id);
    expect(verified).toMatchObject({ merchant_id: id, status: 'active', kyc: 'approved' });
    expect(await status(verified.live_key)).toBe(200);
    expect((await json('merchant', 'verify', id)).live_key).toBeNull();

    const rotated = await json('merchant', 'rotate-key', id, '--environment', 'sandbox');
    expect(rotated.key).not.toBe(made.sandbox_key);
    expect(await status(rotated.key)).toBe(200);
    clock.advance(10);
    expect(await status(made.sandbox_key)).toBe(401);

    const changed = await json(
      ...(['merchant', 'set', id, '--name', 'Shop', '--status', 'paused', '--allow', '::1'] as const),
      ...['--callback-url', 'https://shop.example/hook', '--fee-bearer', 'merchant', '--commission', '0.25'],
    );
    expect(changed).toMatchObject({
      name: 'Shop',
      status: 'paused',
      kyc: 'approved',
      callback_url: 'https://shop.example/hook',
      allowed_subnets: ['::1/128'],
      default_fee_bearer: 'merchant',
      commission_percent: '0.25',
    });
    clock.advance(10);
    expect(await status(verified.live_key)).toBe(403);
    const cleared = await json('merchant', 'set', id, '--callback-url', 'none', '--no-allow');
    expect(cleared).toMatchObject({ callback_url: null, allowed_subnets: [], name: 'Shop' });

    const { merchants } = await json('merchant', 'list');
    expect(merchants).toContainEqual({ ...cleared, has_sandbox_key: true, has_live_key: true });
    const { stdout } = await run('merchant', 'list');
    expect(stdout.indexOf('paused') - stdout.indexOf('\n') - 1).toBe(stdout.indexOf('STATUS'));
    expect(await refusal('merchant', 'set', UNKNOWN_ID, '--name', 'A')).toContain('No such merchant');
  });

  test("a live merchant has both keys, the configured commission and its networks' proper form", async () => {
    const made = await json('merchant', 'create', '--name', 'Live', '--live', '--allow', '10.1.2.3/8');
    expect(await status(made.live_key)).toBe(200);
    const { merchants } = await json('merchant', 'list');
    expect(merchants.find((merchant: Json) => merchant.merchant_id === made.merchant_id)).toMatchObject({
      allowed_subnets: ['10.0.0.0/8'],
      commission_percent: '2.5',
      status: 'active',
    });
  });

  test('an invoice is refunded once, and an unpaid one never', async () => {
    const { sandbox } = await it.merchant();
    const paid = await invoice(sandbox);
    expect(await refusal('refund', paid.order_id)).toContain('is created cannot be refunded');
    await it.call(sandbox, 'POST', `/api/v2/invoices/${paid.order_id}/simulate`, {
      status: 'success',
      send_webhook: false,
    });
    expect(await json('refund', paid.order_id)).toMatchObject({
      invoice_id: paid.order_id,
      status: 'refunded',
      sandbox: true,
    });
    expect(await refusal('refund', paid.order_id)).toContain('is refunded cannot be refunded');
    expect((await it.call(sandbox, 'GET', '/api/v2/balance')).body.result.available).toBe(0);
    expect(await refusal('refund', UNKNOWN_ID)).toContain('No such invoice');
  });

  test('a stray deposit is listed with its exact amount and credited once', async () => {
    const merchant = await it.merchant({ commissionPpm: 10_000n });
    const late = await invoice(merchant.live, { ttl: 300 });
    clock.advance(400);
    await it.settle();
    const txid = await payToFinality(late.address_to, '12.345678');
    const { deposits } = await json('strays', 'list');
    const stray = deposits.find((deposit: Json) => deposit.txid === txid);
    expect(stray).toMatchObject({
      chain: 'ethereum',
      asset: 'usdt_ethereum',
      amount: '12.345678',
      merchant_id: merchant.id,
      note: 'its invoice did not take payments any more',
    });
    expect((await run('strays', 'list')).stdout).toContain('12.345678');
    expect(await json('strays', 'credit', stray.deposit_id)).toMatchObject({ status: 'credited' });
    expect(await refusal('strays', 'credit', stray.deposit_id)).toContain('not stray');
    expect((await it.call(merchant.live, 'GET', '/api/v2/balance')).body.result.available).toBe(12.222221);
  });

  test('held payments are listed, and released or rejected once', async () => {
    const merchant = await it.merchant();
    const [good, bad] = [await invoice(merchant.live), await invoice(merchant.live)];
    const goodTxid = await payToFinality(good.address_to, '25.25', BAD_SENDER);
    const badTxid = await payToFinality(bad.address_to, '25.25', BAD_SENDER);
    const { deposits } = await json('risk', 'list');
    const held = (txid: string): string =>
      deposits.find((deposit: Json) => deposit.txid === txid)?.deposit_id;
    expect(await json('risk', 'release', held(goodTxid))).toMatchObject({ status: 'credited' });
    expect(await json('risk', 'reject', held(badTxid), '--reason', 'stolen')).toMatchObject({
      status: 'rejected',
      note: 'stolen',
    });
    expect(await refusal('risk', 'release', held(badTxid))).toContain('not held');
    const read = async (id: string) =>
      (await it.call(merchant.live, 'GET', `/api/v2/invoices/${id}`)).body.result.status;
    expect(await read(good.order_id)).toBe('success');
    expect(await read(bad.order_id)).toBe('high_risk');
    expect((await run('risk', 'list')).stdout).toBe('no held payments\n');
  });

  test('webhooks are replayed: one invoice, or all that were given up', async () => {
    const receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('', { status: 400 }),
    });
    try {
      const { sandbox } = await it.merchant();
      const shown = await invoice(sandbox, { notify_url: `http://127.0.0.1:${receiver.port}/hook` });
      const silent = await invoice(sandbox);
      await it.call(sandbox, 'POST', `/api/v2/invoices/${shown.order_id}/simulate`, { status: 'success' });
      const attempts = async (): Promise<number> =>
        (await it.call(sandbox, 'GET', `/api/v2/notifications?invoice_id=${shown.order_id}`)).body.pagination
          .total;
      const before = await attempts();
      expect(before).toBeGreaterThan(0);
      expect(await json('webhooks', 'replay', '--invoice', shown.order_id)).toMatchObject({
        queued: 1,
        url: `http://127.0.0.1:${receiver.port}/hook`,
      });
      await it.settle();
      expect(await attempts()).toBe(before + 1);
      const { stdout, stderr, code } = await run('webhooks', 'replay', '--dead', '--json');
      expect({ code, result: JSON.parse(stdout) }).toEqual({
        code: 0,
        result: { queued: 1, skipped: 0, more: false },
      });
      expect(stderr).toBe('1 of 1 invoices\n');
      await it.settle();
      expect(await attempts()).toBe(before + 2);
      expect(await refusal('webhooks', 'replay', '--invoice', silent.order_id)).toContain('no notify_url');
    } finally {
      await receiver.stop(true);
    }
  });

  test('the wallet shows public keys and addresses, and none of its secrets', async () => {
    const { families } = await json('wallet', 'show', '--count', '2');
    expect(families).toEqual([
      {
        family: 'evm',
        path: "m/44'/60'/0'",
        xpub: expect.stringMatching(/^xpub/),
        addresses: [0, 1].map((index) => ({
          index,
          path: `m/44'/60'/0'/0/${index}`,
          address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        })),
      },
    ]);
    const { stdout } = await run('wallet', 'show');
    expect(stdout).not.toMatch(/xprv|0x[0-9a-f]{64}/);
    const elsewhere = { ...env, DATA_DIR: join(dataDir, 'nothing-here') };
    const { code, stderr } = await runScript('wallet', ['show'], elsewhere);
    expect({ code, one: stderr.includes('there is no keystore') }).toEqual({ code: 1, one: true });
    const wrongKey = await runScript('wallet', ['show'], { ...env, MASTER_KEY: '22'.repeat(32) });
    expect(wrongKey.code).toBe(1);
  });

  test('a chain that is not configured is not rescanned', async () => {
    expect(await refusal('rescan', '--chain', 'base', '--from', '1', '--to', '2')).toContain(
      'not configured',
    );
  });

  test('reconciliation agrees with the books, and finds a row that was tampered with', async () => {
    const agreeing = await run('reconcile');
    expect(agreeing).toEqual({ code: 0, stdout: 'books agree\n', stderr: '' });
    const database = openDatabase({ url: it.databaseUrl, poolSize: 1, logger: silentLogger });
    try {
      await database.script(`
        set session_replication_role = replica;
        update ledger_postings set amount = amount + 1
          where ctid = (select ctid from ledger_postings where account = 'merchant' limit 1);
      `);
    } finally {
      await database.close();
    }
    const { code, stdout } = await run('reconcile');
    expect(code).toBe(1);
    expect(stdout).toStartWith('CHECK');
    const asJson = await run('reconcile', '--json');
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ agree: false });
    expect(JSON.parse(asJson.stdout).faults.length).toBeGreaterThan(0);
  });
});
