/** Invoices from creation to their end on the fake chain, through the composed service on a real database. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { refundInvoice } from '../../src/app/refund-invoice.ts';
import { creditStray, rejectHeld, releaseHeld } from '../../src/app/stray-deposits.ts';
import { unitsOf } from '../../src/domain/decimal.ts';
import type { RiskVerdict } from '../../src/ports/risk-screener.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';
import { type TestClock, testClock } from '../support/test-clock.ts';
import { type Json, startTestService, type TestService } from '../support/test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('an invoice on the fake chain', () => {
  let clock: TestClock;
  let it: TestService;
  let receiver: WebhookReceiver;
  let merchant: { id: string; live: string; sandbox: string };
  let verdict: RiskVerdict = { kind: 'pass' };

  beforeAll(async () => {
    clock = testClock();
    receiver = startWebhookReceiver();
    it = await startTestService({
      env: { CHAINS: 'fake' },
      overrides: { clock, riskScreener: { screen: async () => verdict } },
    });
    merchant = await it.merchant({ callbackUrl: receiver.url });
    await it.settle();
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
  });

  const chain = () => {
    const fake = it.service.chains.fakes?.get('ethereum');
    if (!fake) throw new Error('the fake chains are not there');
    return fake.control;
  };
  const usdt = (amount: string) => unitsOf(amount, 6);

  async function create(body: Json = {}): Promise<Json> {
    const answer = await it.call(merchant.live, 'POST', '/api/v2/invoices', {
      amount: 25,
      fiat_currency: 'USD',
      asset: 'usdt_ethereum',
      ...body,
    });
    expect(answer.body).toMatchObject({ ok: true });
    expect(answer.status).toBe(201);
    return answer.body.result;
  }
  async function read(id: string): Promise<Json> {
    return (await it.call(merchant.live, 'GET', `/api/v2/invoices/${id}`)).body.result;
  }
  async function balance(): Promise<Json> {
    return (await it.call(merchant.live, 'GET', '/api/v2/balance')).body.result;
  }
  const statusesSent = (id: string) =>
    receiver.received
      .map((sent) => JSON.parse(sent.body))
      .filter((sent) => sent.order_id === id)
      .map((sent) => sent.status);
  async function pay(invoice: Json, amount: string, asset = 'usdt_ethereum'): Promise<string> {
    return chain().pay({ to: invoice.address_to, asset, units: usdt(amount) }).txid;
  }
  async function mineToFinality(): Promise<void> {
    chain().mine(12);
    await it.settle();
  }
  const booksAreRight = async () =>
    expect(await it.service.dependencies.operatorQueries.reconciliationFaults()).toEqual([]);

  test('is paid: confirming, then success, with signed webhooks, a balance and a ledger line', async () => {
    const before = await balance();
    const invoice = await create({ metadata: { big: 1 } });
    expect(invoice.amount).toBe(25.25);
    await pay(invoice, '25.25');
    chain().mine();
    await it.settle();
    expect((await read(invoice.order_id)).status).toBe('confirming');
    await mineToFinality();
    const paid = await read(invoice.order_id);
    expect(paid).toMatchObject({
      status: 'success',
      received_amount: 25.25,
      fiat_amount: 25,
      external_id: null,
    });
    expect(paid.processed_at).toBeNumber();
    await it.settle();
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    const last = receiver.received.at(-1);
    expect(last?.headers['x-service-signature']).toBe(
      createHmac('sha256', merchant.live)
        .update(last?.body ?? '')
        .digest('hex'),
    );
    expect(JSON.parse(last?.body ?? '{}').external_id).toBe(invoice.external_id);
    const after = await balance();
    expect(after.total_income - before.total_income).toBeCloseTo(25, 6);
    const ledger = await it.call(merchant.live, 'GET', '/api/v2/ledger?per_page=1');
    expect(ledger.body.result[0]).toMatchObject({
      type: 'income',
      asset: 'usdt_ethereum',
      amount: 25,
      fee: 0.25,
      currency: 'USD',
      reference_id: invoice.order_id,
    });
    await booksAreRight();
  });

  test('is live, so it cannot be simulated', async () => {
    const invoice = await create();
    const path = `/api/v2/invoices/${invoice.order_id}/simulate`;
    const answer = await it.call(merchant.live, 'POST', path, { status: 'success' });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'SANDBOX_ONLY']);
  });

  test('is paid in two parts: partially_paid between, success at the end, credited exactly the base', async () => {
    const before = await balance();
    const invoice = await create();
    await pay(invoice, '10');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('partially_paid');
    await pay(invoice, '15.25');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    await it.settle();
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'partially_paid', 'confirming', 'success']);
    expect((await balance()).total_income - before.total_income).toBeCloseTo(25, 6);
    await booksAreRight();
  });

  test('is paid over', async () => {
    const invoice = await create();
    await pay(invoice, '30');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('paid_over');
    await booksAreRight();
  });

  test('expires without a webhook, and a late payment is a stray that an operator can credit (A2)', async () => {
    const invoice = await create({ ttl: 300 });
    clock.advance(400);
    chain().mine();
    await it.settle();
    expect((await read(invoice.order_id)).status).toBe('expired');
    await pay(invoice, '25.25');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('expired');
    expect(statusesSent(invoice.order_id)).toEqual([]);
    const strays = await it.service.dependencies.operatorQueries.deposits({
      statuses: ['stray'],
      sandbox: null,
      limit: 100,
    });
    const stray = strays.find((deposit) => deposit.address === invoice.address_to.toLowerCase());
    expect(stray?.units).toBe(usdt('25.25'));
    await booksAreRight();
    const before = await balance();
    const credited = await creditStray(it.service.dependencies)(stray?.id ?? '');
    expect(credited.ok).toBe(true);
    expect((await balance()).total_income - before.total_income).toBeCloseTo(24.9975, 6);
    expect((await creditStray(it.service.dependencies)(stray?.id ?? '')).ok).toBe(false);
    await booksAreRight();
  });

  test('seen a second before its expiry and final long after it, a payment counts (A1)', async () => {
    const invoice = await create({ ttl: 300 });
    clock.advance(299);
    await pay(invoice, '25.25');
    chain().mine();
    clock.advance(1000);
    await it.settle();
    expect((await read(invoice.order_id)).status).toBe('confirming');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
  });

  test('in a block that is read only after the expiry, a payment made in time counts (A1)', async () => {
    const invoice = await create({ ttl: 300 });
    clock.advance(299);
    await pay(invoice, '25.25');
    chain().mine();
    chain().fail(true);
    clock.advance(1000);
    await it.settle();
    expect((await read(invoice.order_id)).status).toBe('created');
    chain().fail(false);
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
  });

  test('part paid and out of time it is cancelled, with a webhook and the part credit kept', async () => {
    const before = await balance();
    const invoice = await create({ ttl: 300 });
    await pay(invoice, '10');
    await mineToFinality();
    clock.advance(400);
    chain().mine();
    await it.settle(3);
    expect((await read(invoice.order_id)).status).toBe('cancelled');
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'partially_paid', 'cancelled']);
    expect((await balance()).total_income).toBeGreaterThan(before.total_income);
    await booksAreRight();
  });

  test('dust under 2 USD moves nothing and becomes a stray when the invoice expires', async () => {
    const invoice = await create({ ttl: 300 });
    await pay(invoice, '1.5');
    await mineToFinality();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 1.5 });
    clock.advance(400);
    chain().mine();
    await it.settle(3);
    expect(await read(invoice.order_id)).toMatchObject({ status: 'expired', received_amount: 1.5 });
    expect(statusesSent(invoice.order_id)).toEqual([]);
    await booksAreRight();
  });

  test('a reorganisation before finality takes the payment back, and a second mining credits it once', async () => {
    const invoice = await create();
    const txid = await pay(invoice, '25.25');
    chain().mine(3);
    await it.settle();
    chain().reorg(3, { requeue: [txid] });
    await it.settle(3);
    expect((await read(invoice.order_id)).status).toBe('confirming');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    await booksAreRight();
  });

  test('a double-spend before finality leaves the invoice unpaid, and failed once it has expired', async () => {
    const invoice = await create({ ttl: 300 });
    const other = await create({ ttl: 300 });
    const first = await pay(invoice, '25.25');
    const second = await pay(other, '25.25');
    chain().mine();
    await it.settle();
    chain().doubleSpend(first, { to: `0x${'9'.repeat(40)}` });
    await it.settle(3);
    expect((await read(invoice.order_id)).status).toBe('created');
    clock.advance(400);
    chain().mine();
    await it.settle(3);
    chain().doubleSpend(second, { to: `0x${'9'.repeat(40)}` });
    await it.settle(3);
    expect((await read(invoice.order_id)).status).toBe('expired');
    expect((await read(other.order_id)).status).toBe('failed');
    await booksAreRight();
  });

  test('U7: a reorganisation deeper than the confirmations claws the credit back, and tells the merchant', async () => {
    const before = await balance();
    const invoice = await create();
    await pay(invoice, '25.25');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
    chain().reorg(20);
    await it.settle(4);
    expect((await read(invoice.order_id)).status).toBe('failed');
    expect((await balance()).total_income).toBeCloseTo(before.total_income, 6);
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success', 'failed']);
    await booksAreRight();
  });

  test('A3: while nodes disagree nothing is credited', async () => {
    const invoice = await create();
    await pay(invoice, '25.25');
    chain().disagree(true);
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('confirming');
    chain().disagree(false);
    await it.settle();
    expect((await read(invoice.order_id)).status).toBe('success');
  });

  test('a risk hit holds the money and makes it high_risk until an operator decides', async () => {
    verdict = { kind: 'hit', reason: 'listed address' };
    const [held, bad] = [await create(), await create()];
    await pay(held, '25.25');
    await pay(bad, '25.25');
    await mineToFinality();
    verdict = { kind: 'pass' };
    expect((await read(held.order_id)).status).toBe('high_risk');
    await booksAreRight();
    const deposits = await it.service.dependencies.operatorQueries.deposits({
      statuses: ['held'],
      sandbox: null,
      limit: 10,
    });
    const depositOf = (invoice: Json) =>
      deposits.find((deposit) => deposit.invoiceId === invoice.order_id)?.id ?? '';
    const before = await balance();
    expect((await releaseHeld(it.service.dependencies)(depositOf(held))).ok).toBe(true);
    expect((await rejectHeld(it.service.dependencies)(depositOf(bad), 'confirmed')).ok).toBe(true);
    expect((await read(held.order_id)).status).toBe('success');
    expect((await read(bad.order_id)).status).toBe('high_risk');
    expect((await balance()).total_income - before.total_income).toBeCloseTo(25, 6);
    await it.settle();
    expect(statusesSent(held.order_id)).toEqual(['confirming', 'high_risk', 'success']);
    await booksAreRight();
  });

  test('while the risk provider is away nothing is credited and nothing is lost', async () => {
    verdict = { kind: 'unavailable', reason: 'down' };
    const invoice = await create();
    await pay(invoice, '25.25');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('confirming');
    verdict = { kind: 'pass' };
    await it.settle();
    expect((await read(invoice.order_id)).status).toBe('success');
  });

  test('a permanent address opens an invoice for each payment and none once it is deactivated', async () => {
    const made = await it.call(merchant.live, 'POST', '/api/v2/permanent', {
      user_id: 'user-1',
      family: 'evm',
    });
    expect(made.status).toBe(201);
    const address = made.body.result;
    chain().pay({ to: address.address, asset: 'usdt_ethereum', units: usdt('40') });
    await mineToFinality();
    const list = await it.call(merchant.live, 'GET', '/api/v2/invoices?per_page=1');
    expect(list.body.result[0]).toMatchObject({
      status: 'success',
      billing_type: 'VARY',
      permanent_address_id: address.id,
      user_id: 'user-1',
      amount: 40,
      received_amount: 40,
      address_to: address.address,
    });
    await it.settle();
    expect(statusesSent(list.body.result[0].order_id)).toEqual(['confirming', 'success']);
    const total = list.body.pagination.total;
    await it.call(merchant.live, 'DELETE', `/api/v2/permanent/${address.id}`);
    chain().pay({ to: address.address, asset: 'usdt_ethereum', units: usdt('40') });
    await mineToFinality();
    expect((await it.call(merchant.live, 'GET', '/api/v2/invoices?per_page=1')).body.pagination.total).toBe(
      total,
    );
    await booksAreRight();
  });

  test('an explicit VARY invoice on a permanent address takes the next payment', async () => {
    const invoice = await create({ billing_type: 'VARY', permanent_address: true, user_id: 'user-2' });
    expect(invoice.permanent_address_id).toBeString();
    await pay(invoice, '10');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('partially_paid');
    await booksAreRight();
  });

  test('another asset than the one asked for is a stray', async () => {
    const invoice = await create();
    await pay(invoice, '25.25', 'usdc_ethereum');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('created');
    await booksAreRight();
  });

  test('is refunded by an operator once, without a webhook', async () => {
    const invoice = await create();
    await pay(invoice, '25.25');
    await mineToFinality();
    await it.settle();
    const before = await balance();
    const refund = refundInvoice(it.service.dependencies);
    expect((await refund(invoice.order_id)).ok).toBe(true);
    expect((await refund(invoice.order_id)).ok).toBe(false);
    await it.settle();
    expect((await read(invoice.order_id)).status).toBe('refunded');
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    expect(before.available - (await balance()).available).toBeCloseTo(25, 6);
    await booksAreRight();
  });

  test('without an asset the customer chooses on the checkout, and the address comes with the choice', async () => {
    const invoice = await create({ asset: undefined });
    expect(invoice).toMatchObject({ asset: null, amount: null, address_to: null });
    const page = new URL(invoice.payment_url).pathname;
    const chosen = await fetch(`${it.url}${page}/currency`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'asset=usdt_ethereum',
    });
    expect(chosen.status).toBe(303);
    const priced = await read(invoice.order_id);
    expect(priced).toMatchObject({ asset: 'usdt_ethereum', initial_asset: 'usdt_ethereum', amount: 25.25 });
    await pay(priced, '25.25');
    await mineToFinality();
    expect((await read(invoice.order_id)).status).toBe('success');
  });
});
