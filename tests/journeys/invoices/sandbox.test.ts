/**
 * The sandbox over HTTP: simulated statuses, their webhooks, balance and ledger, and payouts that
 * settle by themselves.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac, randomUUID } from 'node:crypto';
import packageJson from '../../../package.json' with { type: 'json' };
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';

const PAYEE = '0x1111111111111111111111111111111111111111';

describe.skipIf(!needs('postgres', postgresAvailable()))('the sandbox', () => {
  let clock: TestClock;
  let it: TestService;
  let receiver: WebhookReceiver;
  let merchant: { id: string; live: string; sandbox: string };

  beforeAll(async () => {
    clock = testClock();
    receiver = startWebhookReceiver();
    it = await startTestService({ overrides: { clock } });
    merchant = await it.merchant();
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
  });

  test('runs in a service whose /health tells the version of package.json', async () => {
    expect((await it.call(null, 'GET', '/health')).body).toEqual({
      status: 'ok',
      version: packageJson.version,
    });
  });

  async function create(body: Json = {}): Promise<Json> {
    const answer = await it.call(merchant.sandbox, 'POST', '/api/v2/invoices', {
      amount: 25,
      fiat_currency: 'USD',
      asset: 'usdt_tron',
      notify_url: receiver.url,
      ...body,
    });
    expect(answer.body).toMatchObject({ ok: true });
    return answer.body.result;
  }
  const simulate = (id: string, body: Json) =>
    it.call(merchant.sandbox, 'POST', `/api/v2/invoices/${id}/simulate`, body);
  const read = async (path: string): Promise<Json> =>
    (await it.call(merchant.sandbox, 'GET', path)).body.result;
  const booksAreRight = async () =>
    expect(await it.service.dependencies.operatorQueries.reconciliationFaults()).toEqual([]);

  test('every target is reached from every other, and balance and ledger follow', async () => {
    const targets = ['success', 'partially_paid', 'paid_over', 'expired', 'cancelled', 'failed', 'refunded'];
    const paid: Json = { success: 25, partially_paid: 12.5, paid_over: 31.25, cancelled: 12.5, refunded: 25 };
    const invoice = await create();
    const start = await read('/api/v2/balance');
    for (const from of targets) {
      for (const to of targets) {
        await simulate(invoice.order_id, { status: from, send_webhook: false });
        const answer = await simulate(invoice.order_id, { status: to, send_webhook: false });
        expect(answer.status).toBe(200);
        expect(answer.body.result).toMatchObject({
          webhook: null,
          invoice: { status: to, fiat_amount: paid[to] ?? 0, external_id: null },
        });
        expect((await read(`/api/v2/invoices/${invoice.order_id}`)).status).toBe(to);
        const balance = await read('/api/v2/balance');
        const credited = to === 'refunded' ? 0 : (paid[to] ?? 0);
        expect(balance.available - start.available).toBeCloseTo(credited, 2);
        expect(balance.available).toBeCloseTo(
          balance.total_income - balance.total_payouts - (to === 'refunded' ? 25 : 0),
          6,
        );
      }
    }
    await booksAreRight();
  });

  test('the webhook is delivered at once, signed with the sandbox key and marked as sandbox', async () => {
    const invoice = await create();
    const answer = await simulate(invoice.order_id, { status: 'success' });
    expect(answer.body.result.webhook).toEqual({
      url: receiver.url,
      delivered: true,
      status_code: 200,
      error: null,
    });
    const sent = receiver.received.at(-1);
    expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({
      order_id: invoice.order_id,
      external_id: invoice.external_id,
      status: 'success',
      sandbox: true,
    });
    expect(sent?.headers['x-service-sandbox']).toBe('true');
    expect(sent?.headers['x-service-signature']).toBe(
      createHmac('sha256', merchant.sandbox)
        .update(sent?.body ?? '')
        .digest('hex'),
    );
    const log = await it.call(
      merchant.sandbox,
      'GET',
      `/api/v2/notifications?invoice_id=${invoice.order_id}`,
    );
    expect(log.body.result).toHaveLength(1);
    expect(log.body.result[0]).toMatchObject({
      attempt: 1,
      status_code: 200,
      url: receiver.url,
      response_body: 'ok',
    });
  });

  test('expired and refunded are never pushed, and without a destination the answer says so', async () => {
    const invoice = await create();
    for (const status of ['expired', 'refunded']) {
      expect((await simulate(invoice.order_id, { status })).body.result.webhook).toBeNull();
    }
    const silent = await create({ notify_url: undefined });
    const answer = await simulate(silent.order_id, { status: 'success' });
    expect(answer.body.result.webhook).toMatchObject({ delivered: false, url: null, status_code: null });
  });

  test('a paid_amount in fiat pays that much; the initial amount pays exactly the amount', async () => {
    const invoice = await create({ asset: 'btc', amount: 100 });
    const part = await simulate(invoice.order_id, {
      status: 'partially_paid',
      paid_amount: '40.00',
      send_webhook: false,
    });
    expect(part.body.result.invoice.fiat_amount).toBe(40);
    const full = await simulate(invoice.order_id, {
      status: 'success',
      paid_amount: 100,
      send_webhook: false,
    });
    expect(full.body.result.invoice).toMatchObject({ fiat_amount: 100, received_amount: invoice.amount });
  });

  test('a payment of almost nothing can be simulated into every status', async () => {
    const invoice = await create({ asset: 'usdc_ethereum' });
    for (const status of ['partially_paid', 'refunded', 'success', 'refunded']) {
      const body = { status, paid_amount: 0.000001, send_webhook: false };
      expect((await simulate(invoice.order_id, body)).body.result.invoice.status).toBe(status);
    }
    await booksAreRight();
  });

  test('an invoice without an asset is simulated in the first one offered', async () => {
    const invoice = await create({ asset: undefined, accepted_coins: ['usdc_base', 'xrp'] });
    const answer = await simulate(invoice.order_id, { status: 'success', send_webhook: false });
    expect(answer.body.result.invoice).toMatchObject({ status: 'success', asset: 'usdc_base' });
  });

  test('a VARY invoice is never cancelled', async () => {
    const vary = await create({ billing_type: 'VARY' });
    const cancelled = await simulate(vary.order_id, { status: 'cancelled' });
    expect([cancelled.status, cancelled.body.error.code]).toEqual([400, 'INVALID_TRANSITION']);
  });

  test('a payout is reserved, settles by itself and shows in the ledger', async () => {
    const invoice = await create({ amount: 100 });
    await simulate(invoice.order_id, { status: 'success', send_webhook: false });
    const before = await read('/api/v2/balance');
    const answer = await it.call(
      merchant.sandbox,
      'POST',
      '/api/v2/payouts',
      { address: PAYEE, amount: 10.5, asset: 'usdc_ethereum', ref: 'salary-1' },
      { 'x-uniq-id': randomUUID() },
    );
    expect(answer.status).toBe(201);
    const id = answer.body.result.order_id;
    expect(await read(`/api/v2/payouts/${id}`)).toMatchObject({
      status: 'pending',
      ref: 'salary-1',
      amount: 10.5,
      txid: null,
    });
    const reserved = await read('/api/v2/balance');
    expect(before.available - reserved.available).toBeCloseTo(12.5, 6);
    await it.settle(2);
    const paid = await read(`/api/v2/payouts/${id}`);
    expect(paid).toMatchObject({
      status: 'success',
      fee_usd: 2,
      fee_bearer: 'merchant',
      fiat_amount_usd: 10.5,
    });
    expect(paid.txid).toBeString();
    const [line] = await read('/api/v2/ledger?type=payout&per_page=1');
    expect(line).toMatchObject({
      type: 'payout',
      reference_id: id,
      status: 'success',
      asset: 'usdc_ethereum',
      amount: 10.5,
    });
    await booksAreRight();
  });

  test('a batch reports each item, and a reused X-Uniq-Id answers what it created', async () => {
    const uniq = randomUUID();
    const item = (amount: number, address = PAYEE) => ({ address, amount, asset: 'usdc_ethereum' });
    const items = [item(5), item(5, 'not-an-address'), item(1_000_000), item(6)];
    const send = () =>
      it.call(merchant.sandbox, 'POST', '/api/v2/payouts/batch', { items }, { 'x-uniq-id': uniq });
    const first = await send();
    expect(first.status).toBe(201);
    expect(first.body.result.items.map((each: Json) => each.status)).toEqual([
      'pending',
      'failed',
      'failed',
      'pending',
    ]);
    expect(first.body.result.items[1]).toMatchObject({ order_id: null, error: expect.any(String) });
    const again = await send();
    expect([again.status, again.body.error.code]).toEqual([409, 'DUPLICATE']);
    expect(again.body.error.details).toEqual({ batch_id: first.body.result.batch_id });
    clock.advance(2 * 3600 + 1);
    expect((await send()).status).toBe(201);
    await booksAreRight();
  });

  test('a refused payout leaves no trace and does not use its X-Uniq-Id up', async () => {
    const uniq = randomUUID();
    const send = (amount: number, address = PAYEE) =>
      it.call(
        merchant.sandbox,
        'POST',
        '/api/v2/payouts',
        { address, amount, asset: 'usdc_ethereum' },
        { 'x-uniq-id': uniq },
      );
    const before = await read('/api/v2/balance');
    const poor = await send(1_000_000);
    expect([poor.status, poor.body.error.code, poor.body.error.details.rule]).toEqual([
      400,
      'PAYOUT_REJECTED',
      'insufficient_balance',
    ]);
    const invoice = await create({ asset: 'usdc_ethereum' });
    expect((await send(1, invoice.address_to)).body.error.details.rule).toBe('own_address');
    expect(
      (await send(1, '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9b'.toLowerCase().replace('a', 'A'))).body.error
        .details.rule,
    ).toBe('invalid_address');
    expect(await read('/api/v2/balance')).toEqual(before);
    expect((await send(3)).status).toBe(201);
  });

  test('the environments do not see each other', async () => {
    const invoice = await create();
    const live = (path: string) => it.call(merchant.live, 'GET', path);
    const missing = await live('/api/v2/invoices/0190f3a1b2c30a1b2c3d4e62');
    const other = await live(`/api/v2/invoices/${invoice.order_id}`);
    expect([other.status, other.body]).toEqual([404, missing.body]);
    expect((await live('/api/v2/invoices')).body).toMatchObject({
      result: [],
      pagination: { total: 0, pages: 0 },
    });
    expect((await live('/api/v2/balance')).body.result).toEqual({
      available: 0,
      total_income: 0,
      total_payouts: 0,
    });
    for (const path of ['/api/v2/payouts', '/api/v2/ledger', '/api/v2/notifications', '/api/v2/permanent']) {
      expect((await live(path)).body.pagination.total).toBe(0);
    }
  });
});
