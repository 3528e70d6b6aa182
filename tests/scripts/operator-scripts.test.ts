/** The operators' scripts as processes, on the database of a service that runs meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/adapters/postgres/client/client.ts';
import {
  BAD_SENDER,
  type OperatorDesk,
  openOperatorDesk,
  UNKNOWN_ID,
} from '../support/operators/operator-desk.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { silentLogger } from '../support/runtime/silent-logger.ts';
import type { Json } from '../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('operators at work', () => {
  let desk: OperatorDesk;
  beforeAll(async () => {
    desk = await openOperatorDesk();
  });
  afterAll(() => desk.close());

  const status = async (key: string, method = 'GET', path = '/api/v2/balance', body?: unknown) =>
    (await desk.it.call(key, method, path, body)).status;

  test('a merchant is created, verified, changed and listed, and its keys work and stop working', async () => {
    const made = await desk.json('merchant', 'create', '--name', 'Corner shop', '--allow', '10.1.2.3/8');
    expect(made).toEqual({
      merchant_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Corner shop',
      sandbox_key: expect.stringMatching(/^sk_sandbox_[0-9a-f]{48}$/),
      live_key: null,
      sandbox_webhook_secret: expect.stringMatching(/^whsec_/),
      live_webhook_secret: null,
    });
    const id: string = made.merchant_id;
    expect(await status(made.sandbox_key)).toBe(200);

    expect(await desk.refusal('merchant', 'rotate-key', id, '--environment', 'live')).toContain('verified');
    const verified = await desk.json('merchant', 'verify', id);
    expect(verified).toMatchObject({ merchant_id: id, status: 'active', kyc: 'approved' });
    expect(verified.live_webhook_secret).toMatch(/^whsec_/);
    expect(await status(verified.live_key)).toBe(200);
    const nothing = { live_key: null, live_webhook_secret: null };
    expect(await desk.json('merchant', 'verify', id)).toMatchObject(nothing);

    const changed = await desk.json(
      ...(['merchant', 'set', id, '--name', 'Shop', '--status', 'paused', '--allow', '::1'] as const),
      ...['--callback-url', 'https://shop.example/hook', '--fee-bearer', 'merchant', '--commission', '0.25'],
      ...['--payout-webhooks', 'on'],
    );
    expect(changed).toMatchObject({
      name: 'Shop',
      status: 'paused',
      kyc: 'approved',
      callback_url: 'https://shop.example/hook',
      allowed_subnets: ['::1/128'],
      default_fee_bearer: 'merchant',
      commission_percent: '0.25',
      payout_webhooks: true,
    });
    desk.clock.advance(10);
    expect(await status(verified.live_key)).toBe(403);
    const cleared = await desk.json('merchant', 'set', id, '--callback-url', 'none', '--no-allow');
    expect(cleared).toMatchObject({
      ...{ callback_url: null, allowed_subnets: [], name: 'Shop', payout_webhooks: true },
    });

    const { merchants } = await desk.json('merchant', 'list');
    expect(merchants).toContainEqual({
      ...{ ...cleared, has_sandbox_key: true, has_live_key: true },
      ...{ old_sandbox_key_until: null, old_live_key_until: null },
    });
    const { stdout } = await desk.run('merchant', 'list');
    expect(stdout.indexOf('paused') - stdout.indexOf('\n') - 1).toBe(stdout.indexOf('STATUS'));
    expect(await desk.refusal('merchant', 'set', UNKNOWN_ID, '--name', 'A')).toContain('No such merchant');
  });

  test("a live merchant has both keys, the configured commission and its networks' proper form", async () => {
    const made = await desk.json('merchant', 'create', '--name', 'Live', '--live', '--allow', '10.1.2.3/8');
    expect(await status(made.live_key)).toBe(200);
    const { merchants } = await desk.json('merchant', 'list');
    expect(merchants.find((merchant: Json) => merchant.merchant_id === made.merchant_id)).toMatchObject({
      allowed_subnets: ['10.0.0.0/8'],
      commission_percent: '2.5',
      status: 'active',
    });
  });

  test('a stray deposit is listed with its exact amount and credited once', async () => {
    const merchant = await desk.it.merchant({ commissionPpm: 10_000n });
    const late = await desk.invoice(merchant.live, { ttl: 300 });
    desk.clock.advance(400);
    await desk.it.settle();
    const txid = await desk.payToFinality(late.address_to, '12.345678');
    const { deposits } = await desk.json('strays', 'list');
    const stray = deposits.find((deposit: Json) => deposit.txid === txid);
    expect(stray).toMatchObject({
      chain: 'ethereum',
      asset: 'usdt_ethereum',
      amount: '12.345678',
      merchant_id: merchant.id,
      stray_reason: 'invoice_closed',
      note: 'its invoice did not take payments any more',
    });
    expect((await desk.run('strays', 'list')).stdout).toContain('12.345678');
    expect(await desk.json('strays', 'credit', stray.deposit_id)).toMatchObject({ status: 'credited' });
    expect(await desk.refusal('strays', 'credit', stray.deposit_id)).toContain('not stray');
    expect((await desk.it.call(merchant.live, 'GET', '/api/v2/balance')).body.result.available).toBe(
      12.222221,
    );
  });

  test('what came in a token that is not listed is told, and credited once the token is listed', async () => {
    const merchant = await desk.it.merchant({ commissionPpm: 0n });
    const asked = await desk.invoice(merchant.live);
    const made = await desk.it.call(merchant.live, 'POST', '/api/v2/permanent', {
      ...{ user_id: 'customer', family: 'evm' },
    });
    const { control } = desk.it.service.chains.fakes!.get('polygon')!;
    const addresses = [asked.address_to, made.body.result.address];
    for (const to of addresses) control.pay({ to, asset: 'usdce_polygon', units: 7_500_000n });
    control.mine(70);
    await desk.it.settle();
    const { deposits } = await desk.json('strays', 'list');
    const strays = deposits.filter(({ asset }: Json) => asset === 'usdce_polygon');
    expect(strays).toHaveLength(2);
    for (const stray of strays)
      expect(stray).toMatchObject({
        ...{ chain: 'polygon', amount: '7.5', listed: false, stray_reason: 'other_asset' },
        note: expect.stringContaining('is not listed'),
      });
    const [stray] = strays;
    expect(await desk.refusal('strays', 'credit', stray.deposit_id)).toContain('usdce_polygon is not listed');
    const { result } = (await desk.it.call(merchant.live, 'GET', '/api/v2/assets')).body;
    expect(result.some(({ asset }: Json) => asset === 'usdce_polygon')).toBe(false);

    const row = { chain: 'polygon', contract: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', decimals: 6 };
    const file = join(desk.dataDir, 'listed.json');
    writeFileSync(
      file,
      JSON.stringify({
        rates: { source: 'static', usd: { usdt_ethereum: '1' } },
        assets: { usdce_polygon: { ...row, symbol: 'USDC.e', rate: { USD: '1' } } },
      }),
    );
    const listed = await desk.runIn({ CONFIG_FILE: file }, 'strays', 'credit', stray.deposit_id);
    expect(listed.stdout).toContain('is credited: 7.5 usdce_polygon');
    expect((await desk.it.call(merchant.live, 'GET', '/api/v2/balance')).body.result.available).toBe(7.5);
  });

  test('held payments are listed, and released or rejected once', async () => {
    const merchant = await desk.it.merchant();
    const [good, bad] = [await desk.invoice(merchant.live), await desk.invoice(merchant.live)];
    const goodTxid = await desk.payToFinality(good.address_to, '25.25', BAD_SENDER);
    const badTxid = await desk.payToFinality(bad.address_to, '25.25', BAD_SENDER);
    const { deposits } = await desk.json('risk', 'list');
    const held = (txid: string): string =>
      deposits.find((deposit: Json) => deposit.txid === txid)?.deposit_id;
    expect(await desk.json('risk', 'release', held(goodTxid))).toMatchObject({ status: 'credited' });
    expect(await desk.json('risk', 'reject', held(badTxid), '--reason', 'stolen')).toMatchObject({
      status: 'rejected',
      note: 'stolen',
    });
    expect(await desk.refusal('risk', 'release', held(badTxid))).toContain('not held');
    const read = async (id: string) =>
      (await desk.it.call(merchant.live, 'GET', `/api/v2/invoices/${id}`)).body.result.status;
    expect(await read(good.order_id)).toBe('success');
    expect(await read(bad.order_id)).toBe('high_risk');
    expect((await desk.run('risk', 'list')).stdout).toBe('no held payments\n');
  });

  test('webhooks are replayed: one invoice, or all that were given up', async () => {
    const receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('', { status: 400 }),
    });
    try {
      const { sandbox } = await desk.it.merchant();
      const shown = await desk.invoice(sandbox, { notify_url: `http://127.0.0.1:${receiver.port}/hook` });
      const silent = await desk.invoice(sandbox);
      await desk.it.call(sandbox, 'POST', `/api/v2/invoices/${shown.order_id}/simulate`, {
        status: 'success',
      });
      const attempts = async (): Promise<number> =>
        (await desk.it.call(sandbox, 'GET', `/api/v2/notifications?invoice_id=${shown.order_id}`)).body
          .pagination.total;
      const before = await attempts();
      expect(before).toBeGreaterThan(0);
      expect(await desk.json('webhooks', 'replay', '--invoice', shown.order_id)).toMatchObject({
        queued: 1,
        url: `http://127.0.0.1:${receiver.port}/hook`,
      });
      await desk.it.settle();
      expect(await attempts()).toBe(before + 1);
      const { stdout, stderr, code } = await desk.run('webhooks', 'replay', '--dead', '--json');
      expect({ code, result: JSON.parse(stdout) }).toEqual({
        code: 0,
        result: { queued: 1, skipped: 0, more: false },
      });
      expect(stderr).toBe('1 webhooks that were given up\n');
      await desk.it.settle();
      expect(await attempts()).toBe(before + 2);
      expect(await desk.refusal('webhooks', 'replay', '--invoice', silent.order_id)).toContain(
        'no notify_url',
      );
    } finally {
      await receiver.stop(true);
    }
  });

  test('the wallet shows public keys and addresses, and none of its secrets', async () => {
    const { families, missing } = await desk.json('wallet', 'show', '--count', '2');
    const shown = (family: string, path: string, address: RegExp) => ({
      family,
      path,
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      xpub: expect.stringMatching(/^xpub/),
      hot_wallet: { path: `${path}/1/0`, address: expect.stringMatching(address) },
      addresses: [0, 1].map((index) => ({
        index,
        path: `${path}/0/${index}`,
        address: expect.stringMatching(address),
      })),
    });
    const ofOneKey = (family: string, path: string, [hot, ...deposits]: readonly [RegExp, ...RegExp[]]) => ({
      family,
      path,
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      public_key: expect.stringMatching(/^[0-9a-f]{64,66}$/),
      hot_wallet: { path, address: expect.stringMatching(hot) },
      addresses: deposits.map((address, index) => ({
        index,
        path: `${path} #${index}`,
        address: expect.stringMatching(address),
      })),
    });
    expect(families).toEqual([
      shown('evm', "m/44'/60'/0'", /^0x[0-9a-fA-F]{40}$/),
      shown('bitcoin', "m/84'/0'/0'", /^bc1q[0-9a-z]{38}$/),
      shown('litecoin', "m/84'/2'/0'", /^ltc1q[0-9a-z]{38}$/),
      shown('bitcoincash', "m/44'/145'/0'", /^bitcoincash:q[0-9a-z]{41}$/),
      shown('tron', "m/44'/195'/0'", /^T[1-9A-HJ-NP-Za-km-z]{33}$/),
      ofOneKey('solana', "m/44'/501'/0'/0'", [/^[1-9A-HJ-NP-Za-km-z]{32,44}$/]),
      ofOneKey('xrp', "m/44'/144'/0'/0/0", [/^r/, /^X/, /^X/]),
      ofOneKey('ton', "m/44'/607'/0'", [/^UQ/, /^UQ/, /^UQ/]),
    ]);
    expect(missing).toEqual([]);
    const { stdout } = await desk.run('wallet', 'show');
    expect(stdout).not.toMatch(/xprv|0x[0-9a-f]{64}/);
    const elsewhere = { DATA_DIR: join(desk.dataDir, 'nothing-here') };
    const { code, stderr } = await desk.runIn(elsewhere, 'wallet', 'show');
    expect({ code, one: stderr.includes('there is no keystore') }).toEqual({ code: 1, one: true });
    const wrongKey = await desk.runIn({ MASTER_KEY: '22'.repeat(32) }, 'wallet', 'show');
    expect(wrongKey.code).toBe(1);
  });

  test('a chain that is not configured is not rescanned', async () => {
    expect(await desk.refusal('rescan', '--chain', 'base', '--from', '1', '--to', '2')).toContain(
      'not configured',
    );
  });

  test('reconciliation agrees with the books, and finds a row that was tampered with', async () => {
    const agreeing = await desk.run('reconcile');
    expect(agreeing).toEqual({ code: 0, stdout: 'books agree\n', stderr: '' });
    const database = openDatabase({ url: desk.it.databaseUrl, poolSize: 1, logger: silentLogger });
    try {
      await database.script(`
        set session_replication_role = replica;
        update ledger_postings set amount = amount + 1
          where ctid = (select ctid from ledger_postings where account = 'merchant' limit 1);
      `);
    } finally {
      await database.close();
    }
    const { code, stdout } = await desk.run('reconcile');
    expect(code).toBe(1);
    expect(stdout).toStartWith('CHECK');
    const asJson = await desk.run('reconcile', '--json');
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ agree: false });
    expect(JSON.parse(asJson.stdout).faults.length).toBeGreaterThan(0);
  });
});
