/**
 * Invoices from creation to their end on the fake chain, through the composed service on a real
 * database.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('an invoice on the fake chain', () => {
  let journey: FakeJourney;
  beforeAll(async () => {
    journey = await openFakeJourney();
  });
  afterAll(() => journey.close());

  test('is paid: confirming, then success, with signed webhooks, a balance and a ledger line', async () => {
    const before = await journey.balance();
    const invoice = await journey.create({ metadata: { big: 1 } });
    expect(invoice.amount).toBe(25.25);
    journey.pay(invoice, '25.25');
    journey.chain().mine();
    await journey.it.settle();
    expect((await journey.read(invoice.order_id)).status).toBe('confirming');
    await journey.mineToFinality();
    const paid = await journey.read(invoice.order_id);
    expect(paid).toMatchObject({
      status: 'success',
      received_amount: 25.25,
      fiat_amount: 25,
      external_id: null,
    });
    expect(paid.processed_at).toBeNumber();
    await journey.it.settle();
    expect(journey.statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    const last = journey.receiver.received.at(-1);
    expect(last?.headers['x-service-signature']).toBe(
      createHmac('sha256', journey.merchant.live)
        .update(last?.body ?? '')
        .digest('hex'),
    );
    expect(JSON.parse(last?.body ?? '{}').external_id).toBe(invoice.external_id);
    const after = await journey.balance();
    expect(after.total_income - before.total_income).toBeCloseTo(25, 6);
    const ledger = await journey.it.call(journey.merchant.live, 'GET', '/api/v2/ledger?per_page=1');
    expect(ledger.body.result[0]).toMatchObject({
      type: 'income',
      asset: 'usdt_ethereum',
      amount: 25,
      fee: 0.25,
      currency: 'USD',
      reference_id: invoice.order_id,
    });
    await journey.booksAreRight();
  });

  test('is live, so it cannot be simulated', async () => {
    const invoice = await journey.create();
    const path = `/api/v2/invoices/${invoice.order_id}/simulate`;
    const answer = await journey.it.call(journey.merchant.live, 'POST', path, { status: 'success' });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'SANDBOX_ONLY']);
  });

  test('is paid in two parts: partially_paid between, success at the end, credited exactly the base', async () => {
    const before = await journey.balance();
    const invoice = await journey.create();
    journey.pay(invoice, '10');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('partially_paid');
    journey.pay(invoice, '15.25');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('success');
    await journey.it.settle();
    expect(journey.statusesSent(invoice.order_id)).toEqual([
      'confirming',
      'partially_paid',
      'confirming',
      'success',
    ]);
    expect((await journey.balance()).total_income - before.total_income).toBeCloseTo(25, 6);
    await journey.booksAreRight();
  });

  test('is paid over', async () => {
    const invoice = await journey.create();
    journey.pay(invoice, '30');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('paid_over');
    await journey.booksAreRight();
  });

  test('seen a second before its expiry and final long after it, a payment counts (A1)', async () => {
    const invoice = await journey.create({ ttl: 300 });
    journey.clock.advance(299);
    journey.pay(invoice, '25.25');
    journey.chain().mine();
    journey.clock.advance(1000);
    await journey.it.settle();
    expect((await journey.read(invoice.order_id)).status).toBe('confirming');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('success');
  });

  test('in a block that is read only after the expiry, a payment made in time counts (A1)', async () => {
    const invoice = await journey.create({ ttl: 300 });
    journey.clock.advance(299);
    journey.pay(invoice, '25.25');
    journey.chain().mine();
    journey.chain().fail(true);
    journey.clock.advance(1000);
    await journey.it.settle();
    expect((await journey.read(invoice.order_id)).status).toBe('created');
    journey.chain().fail(false);
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('success');
  });

  test('part paid and out of time it is cancelled, with a webhook and the part credit kept', async () => {
    const before = await journey.balance();
    const invoice = await journey.create({ ttl: 300 });
    journey.pay(invoice, '10');
    await journey.mineToFinality();
    journey.clock.advance(400);
    journey.chain().mine();
    await journey.it.settle(3);
    expect((await journey.read(invoice.order_id)).status).toBe('cancelled');
    expect(journey.statusesSent(invoice.order_id)).toEqual(['confirming', 'partially_paid', 'cancelled']);
    expect((await journey.balance()).total_income).toBeGreaterThan(before.total_income);
    await journey.booksAreRight();
  });

  test('dust under 2 USD moves nothing and becomes a stray when the invoice expires', async () => {
    const invoice = await journey.create({ ttl: 300 });
    journey.pay(invoice, '1.5');
    await journey.mineToFinality();
    expect(await journey.read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 1.5 });
    journey.clock.advance(400);
    journey.chain().mine();
    await journey.it.settle(3);
    expect(await journey.read(invoice.order_id)).toMatchObject({ status: 'expired', received_amount: 1.5 });
    expect(journey.statusesSent(invoice.order_id)).toEqual([]);
    await journey.booksAreRight();
  });

  test('another asset than the one asked for is a stray', async () => {
    const invoice = await journey.create();
    journey.pay(invoice, '25.25', 'usdc_ethereum');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('created');
    await journey.booksAreRight();
  });

  test('without an asset the customer chooses on the checkout, and the address comes with the choice', async () => {
    const invoice = await journey.create({ asset: undefined });
    expect(invoice).toMatchObject({ asset: null, amount: null, address_to: null });
    const page = new URL(invoice.payment_url).pathname;
    const chosen = await fetch(`${journey.it.url}${page}/currency`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'asset=usdt_ethereum',
    });
    expect(chosen.status).toBe(303);
    const priced = await journey.read(invoice.order_id);
    expect(priced).toMatchObject({ asset: 'usdt_ethereum', initial_asset: 'usdt_ethereum', amount: 25.25 });
    journey.pay(priced, '25.25');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('success');
  });
});
