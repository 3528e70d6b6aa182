/**
 * What goes wrong with payments on the fake chain: late ones, reorganisations, risk hits; and
 * permanent addresses and refunds.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { creditStray, rejectHeld, releaseHeld } from '../../../src/app/deposits/unmatched-deposits.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a payment on the fake chain', () => {
  let journey: FakeJourney;
  beforeAll(async () => {
    journey = await openFakeJourney();
  });
  afterAll(() => journey.close());

  test('expires without a webhook, and a late payment is a stray that an operator can credit (A2)', async () => {
    const invoice = await journey.create({ ttl: 300 });
    journey.clock.advance(400);
    journey.chain().mine();
    await journey.it.settle();
    expect((await journey.read(invoice.order_id)).status).toBe('expired');
    journey.pay(invoice, '25.25');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('expired');
    expect(journey.statusesSent(invoice.order_id)).toEqual([]);
    const strays = await journey.it.service.dependencies.operatorQueries.deposits({
      statuses: ['stray'],
      sandbox: null,
      limit: 100,
    });
    const stray = strays.find((deposit) => deposit.address === invoice.address_to.toLowerCase());
    expect(stray?.units).toBe(usdt('25.25'));
    await journey.booksAreRight();
    const before = await journey.balance();
    const credited = await creditStray(journey.it.service.dependencies)(stray?.id ?? '');
    expect(credited.ok).toBe(true);
    expect((await journey.balance()).total_income - before.total_income).toBeCloseTo(24.9975, 6);
    expect((await creditStray(journey.it.service.dependencies)(stray?.id ?? '')).ok).toBe(false);
    await journey.booksAreRight();
  });

  test('a reorganisation before finality takes the payment back, and a second mining credits it once', async () => {
    const invoice = await journey.create();
    const txid = journey.pay(invoice, '25.25');
    journey.chain().mine(3);
    await journey.it.settle();
    journey.chain().reorg(3, { requeue: [txid] });
    await journey.it.settle(3);
    expect((await journey.read(invoice.order_id)).status).toBe('confirming');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('success');
    await journey.booksAreRight();
  });

  test('a double-spend before finality leaves the invoice unpaid, and failed once it has expired', async () => {
    const invoice = await journey.create({ ttl: 300 });
    const other = await journey.create({ ttl: 300 });
    const first = journey.pay(invoice, '25.25');
    const second = journey.pay(other, '25.25');
    journey.chain().mine();
    await journey.it.settle();
    journey.chain().doubleSpend(first, { to: `0x${'9'.repeat(40)}` });
    await journey.it.settle(3);
    expect((await journey.read(invoice.order_id)).status).toBe('created');
    journey.clock.advance(400);
    journey.chain().mine();
    await journey.it.settle(3);
    journey.chain().doubleSpend(second, { to: `0x${'9'.repeat(40)}` });
    await journey.it.settle(3);
    expect((await journey.read(invoice.order_id)).status).toBe('expired');
    expect((await journey.read(other.order_id)).status).toBe('failed');
    await journey.booksAreRight();
  });

  test('U7: a reorganisation deeper than the confirmations claws the credit back, and tells the merchant', async () => {
    const before = await journey.balance();
    const invoice = await journey.create();
    journey.pay(invoice, '25.25');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('success');
    journey.chain().reorg(20);
    await journey.it.settle(4);
    expect((await journey.read(invoice.order_id)).status).toBe('failed');
    expect((await journey.balance()).total_income).toBeCloseTo(before.total_income, 6);
    expect(journey.statusesSent(invoice.order_id)).toEqual(['confirming', 'success', 'failed']);
    await journey.booksAreRight();
  });

  test('A3: while nodes disagree nothing is credited', async () => {
    const invoice = await journey.create();
    journey.pay(invoice, '25.25');
    journey.chain().disagree(true);
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('confirming');
    journey.chain().disagree(false);
    await journey.it.settle();
    expect((await journey.read(invoice.order_id)).status).toBe('success');
  });

  test('a risk hit holds the money and makes it high_risk until an operator decides', async () => {
    journey.screen({ kind: 'hit', reason: 'listed address' });
    const [held, bad] = [await journey.create(), await journey.create()];
    journey.pay(held, '25.25');
    journey.pay(bad, '25.25');
    await journey.mineToFinality();
    journey.screen({ kind: 'pass' });
    expect((await journey.read(held.order_id)).status).toBe('high_risk');
    await journey.booksAreRight();
    const deposits = await journey.it.service.dependencies.operatorQueries.deposits({
      statuses: ['held'],
      sandbox: null,
      limit: 10,
    });
    const depositOf = (invoice: Json) =>
      deposits.find((deposit) => deposit.invoiceId === invoice.order_id)?.id ?? '';
    const before = await journey.balance();
    expect((await releaseHeld(journey.it.service.dependencies)(depositOf(held))).ok).toBe(true);
    expect((await rejectHeld(journey.it.service.dependencies)(depositOf(bad), 'confirmed')).ok).toBe(true);
    expect((await journey.read(held.order_id)).status).toBe('success');
    expect((await journey.read(bad.order_id)).status).toBe('high_risk');
    expect((await journey.balance()).total_income - before.total_income).toBeCloseTo(25, 6);
    await journey.it.settle();
    expect(journey.statusesSent(held.order_id)).toEqual(['confirming', 'high_risk', 'success']);
    await journey.booksAreRight();
  });

  test('while the risk provider is away nothing is credited and nothing is lost', async () => {
    journey.screen({ kind: 'unavailable', reason: 'down' });
    const invoice = await journey.create();
    journey.pay(invoice, '25.25');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('confirming');
    journey.screen({ kind: 'pass' });
    await journey.it.settle();
    expect((await journey.read(invoice.order_id)).status).toBe('success');
  });

  test('a permanent address opens an invoice for each payment and none once it is deactivated', async () => {
    const made = await journey.it.call(journey.merchant.live, 'POST', '/api/v2/permanent', {
      user_id: 'user-1',
      family: 'evm',
    });
    expect(made.status).toBe(201);
    const address = made.body.result;
    journey.chain().pay({ to: address.address, asset: 'usdt_ethereum', units: usdt('40') });
    await journey.mineToFinality();
    const list = await journey.it.call(journey.merchant.live, 'GET', '/api/v2/invoices?per_page=1');
    expect(list.body.result[0]).toMatchObject({
      status: 'success',
      billing_type: 'VARY',
      permanent_address_id: address.id,
      user_id: 'user-1',
      amount: 40,
      received_amount: 40,
      address_to: address.address,
    });
    await journey.it.settle();
    expect(journey.statusesSent(list.body.result[0].order_id)).toEqual(['confirming', 'success']);
    const total = list.body.pagination.total;
    await journey.it.call(journey.merchant.live, 'DELETE', `/api/v2/permanent/${address.id}`);
    journey.chain().pay({ to: address.address, asset: 'usdt_ethereum', units: usdt('40') });
    await journey.mineToFinality();
    expect(
      (await journey.it.call(journey.merchant.live, 'GET', '/api/v2/invoices?per_page=1')).body.pagination
        .total,
    ).toBe(total);
    await journey.booksAreRight();
  });

  test('an explicit VARY invoice on a permanent address takes the next payment', async () => {
    const invoice = await journey.create({
      billing_type: 'VARY',
      permanent_address: true,
      user_id: 'user-2',
    });
    expect(invoice.permanent_address_id).toBeString();
    journey.pay(invoice, '10');
    await journey.mineToFinality();
    expect((await journey.read(invoice.order_id)).status).toBe('partially_paid');
    await journey.booksAreRight();
  });

  test('is refunded by an operator once, without a webhook', async () => {
    const invoice = await journey.create();
    journey.pay(invoice, '25.25');
    await journey.mineToFinality();
    await journey.it.settle();
    const before = await journey.balance();
    const refund = refundInvoice(journey.it.service.dependencies);
    const made = await refund(invoice.order_id, { to: null, amount: null, by: 'ann' });
    if (!made.ok) throw new Error(made.error.message);
    expect((await refund(invoice.order_id, { to: null, amount: null, by: 'ann' })).ok).toBe(false);
    await journey.it.settle();
    expect((await journey.read(invoice.order_id)).status).toBe('refunded');
    expect(journey.statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    const { amountMicroUsd, reservedMicroUsd } = made.value.refund;
    expect(amountMicroUsd).toBe(25_000_000n);
    const taken = before.available - (await journey.balance()).available;
    expect(taken).toBeCloseTo(Number(reservedMicroUsd) / 1e6, 6);
    await journey.booksAreRight();
  });
});
