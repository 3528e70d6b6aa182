/**
 * The queue of the risk check: what cannot be settled waits alone, and what an invoice ended
 * without is not forgotten.
 */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { screenDeposits } from '../../../src/app/deposits/screen-deposits.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { hold, reversed } from '../../../src/domain/ledger.ts';
import type { RiskScreener } from '../../../src/ports/deposits/risk-screener.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the queue of the risk check', () => {
  let journey: FakeJourney;
  beforeAll(async () => {
    // As of a service: payments are final first, and wait for the check.
    journey = await openFakeJourney({ riskScreener: { screen: async () => ({ kind: 'pass' }) } });
  });
  afterAll(() => journey.close());

  const statusOf = async (invoice: Json) => (await journey.read(invoice.order_id)).status;
  async function strays(invoice: Json): Promise<number> {
    const { operatorQueries } = journey.it.service.dependencies;
    const found = await operatorQueries.deposits({ statuses: ['stray'], sandbox: null, limit: 10_000 });
    return found.filter(({ address }) => address === invoice.address_to.toLowerCase()).length;
  }
  /** Everything arrives, and nothing is screened. */
  async function arrive(): Promise<void> {
    journey.chain().mine(12);
    const watcher = journey.it.service.watchers.get('ethereum');
    while ((await watcher?.poll())?.behind);
  }
  const screen = (riskScreener: RiskScreener) =>
    screenDeposits({ ...journey.it.service.dependencies, riskScreener })();

  test('a full page of payments that cannot be judged does not hide the ones behind it', async () => {
    const waiting = [];
    for (let index = 0; index < 201; index += 1) {
      const invoice = await journey.create();
      journey.pay(invoice, '25.25');
      waiting.push(invoice);
    }
    await arrive();
    journey.clock.advance(1);
    const behind = await journey.create();
    journey.pay(behind, '25.25');
    await arrive();
    const judged = behind.address_to.toLowerCase();
    await screen({
      screen: async ({ to }) =>
        to === judged ? { kind: 'pass' } : { kind: 'unavailable', reason: 'not this one' },
    });
    expect(await statusOf(behind)).toBe('success');
    await screen({ screen: async () => ({ kind: 'pass' }) });
    expect(new Set(await Promise.all(waiting.map(statusOf)))).toEqual(new Set(['success']));
    await journey.booksAreRight();
  });

  test('W3: payments that come together are final, credited and told in a few transactions, and one that cannot be holds up no other', async () => {
    const { unitOfWork, ids, clock } = journey.it.service.dependencies;
    const invoices = [];
    for (let index = 0; index < 60; index += 1) invoices.push(await journey.create());
    for (const invoice of invoices) journey.pay(invoice, '25.25');
    journey.chain().mine(1);
    const watcher = journey.it.service.watchers.get('ethereum');
    await watcher?.poll();
    journey.chain().mine(11);
    const transactions = spyOn(unitOfWork, 'run');
    await arrive();
    expect(transactions.mock.calls.length).toBeLessThan(25);

    // As if it had been held already: the books refuse to credit it.
    const [spoilt] = invoices.splice(30, 1);
    const others = invoices;
    await unitOfWork.run(async (r) => {
      const [deposit] = await r.deposits.lockOfInvoice(spoilt.order_id, ['arrived']);
      if (!deposit) throw new Error('nothing arrived');
      const { merchantId, sandbox, id: depositId, asset, units } = deposit;
      await r.ledger.post({
        ...{ id: ids.id(), merchantId, sandbox, kind: 'hold', referenceId: spoilt.order_id, depositId },
        ...{ postings: hold({ asset, units, microUsd: 25_250_000n }), feed: null, at: clock.now() },
      });
    });
    const before = await journey.balance();
    transactions.mockClear();
    await screen({ screen: async () => ({ kind: 'pass' }) });
    const tried = transactions.mock.calls.length;
    expect(new Set(await Promise.all(others.map(statusOf)))).toEqual(new Set(['success']));
    expect(await statusOf(spoilt)).toBe('confirming');
    expect((await journey.balance()).total_income - before.total_income).toBeCloseTo(59 * 25, 6);
    const feed = await journey.it.call(
      journey.merchant.live,
      'GET',
      '/api/v2/ledger?type=income&per_page=100',
    );
    const references = feed.body.result.map((line: Json) => line.reference_id);
    expect(new Set(references.slice(0, 59))).toEqual(new Set(others.map((each) => each.order_id)));
    expect(tried).toBeLessThan(25);
    await journey.it.settle();
    for (const { order_id: id } of others.slice(0, 3))
      expect(journey.statusesSent(id)).toEqual(['confirming', 'success']);

    transactions.mockRestore();
    await unitOfWork.run(async (r) => {
      const [entry] = (await r.ledger.entriesOf(spoilt.order_id)).filter(({ kind }) => kind === 'hold');
      if (entry)
        await r.ledger.post({
          ...entry,
          id: ids.id(),
          kind: 'hold_reversed',
          postings: reversed(entry.postings),
        });
    });
    await screen({ screen: async () => ({ kind: 'pass' }) });
    expect(await statusOf(spoilt)).toBe('success');
    await journey.booksAreRight();
  });

  test('a payment whose check fails with a fault does not hold up the others', async () => {
    const [bad, good] = [await journey.create(), await journey.create()];
    journey.pay(bad, '25.25');
    await arrive();
    journey.clock.advance(1);
    journey.pay(good, '25.25');
    await arrive();
    const broken = bad.address_to.toLowerCase();
    await screen({
      screen: async ({ to }) => {
        if (to === broken) throw new Error('a fault of ours');
        return { kind: 'pass' };
      },
    });
    expect([await statusOf(bad), await statusOf(good)]).toEqual(['confirming', 'success']);
  });

  test('a hit and a pass on one invoice: one is held, the other credited', async () => {
    const before = await journey.balance();
    const invoice = await journey.create({ fee_bearer: 'merchant' });
    journey.pay(invoice, '10');
    journey.pay(invoice, '15');
    await arrive();
    const hit = usdt('10');
    await screen({
      screen: async ({ units }) => (units === hit ? { kind: 'hit', reason: 'listed' } : { kind: 'pass' }),
    });
    expect(await journey.read(invoice.order_id)).toMatchObject({ status: 'high_risk', received_amount: 25 });
    expect((await journey.balance()).total_income).toBeGreaterThan(before.total_income);
    await journey.booksAreRight();
  });

  test('two instances that screen one invoice credit it once', async () => {
    const before = await journey.balance();
    const invoice = await journey.create();
    journey.pay(invoice, '25.25');
    await arrive();
    const pass: RiskScreener = { screen: async () => ({ kind: 'pass' }) };
    await Promise.all([screen(pass), screen(pass), screen(pass)]);
    expect(await statusOf(invoice)).toBe('success');
    const after = await journey.balance();
    expect(after.total_income - before.total_income).toBeCloseTo(25, 6);
    await journey.booksAreRight();
  });

  test('dust that waited for an invoice which is then refunded becomes a stray', async () => {
    const invoice = await journey.create();
    journey.pay(invoice, '10');
    await journey.mineToFinality();
    journey.pay(invoice, '1');
    await journey.mineToFinality();
    expect([await statusOf(invoice), await strays(invoice)]).toEqual(['partially_paid', 0]);
    const refund = refundInvoice(journey.it.service.dependencies);
    expect((await refund(invoice.order_id, { to: null, amount: null, by: 'ann' })).ok).toBe(true);
    await journey.it.settle();
    expect([await statusOf(invoice), await strays(invoice)]).toEqual(['refunded', 1]);
    await journey.booksAreRight();
  });

  test('dust that became a stray counts again when a reorganisation opens its invoice again', async () => {
    const invoice = await journey.create({ fee_bearer: 'merchant' });
    const large = journey.pay(invoice, '25');
    journey.chain().mine(6);
    const dust = journey.pay(invoice, '1');
    journey.chain().mine(6);
    await journey.it.settle();
    expect(await statusOf(invoice)).toBe('success');
    await journey.mineToFinality();
    expect(await strays(invoice)).toBe(1);
    journey.chain().reorg(24, { keep: [dust], requeue: [large] });
    await journey.it.settle(4);
    expect(await statusOf(invoice)).toBe('confirming');
    await journey.mineToFinality();
    expect([await statusOf(invoice), await strays(invoice)]).toEqual(['paid_over', 0]);
    await journey.booksAreRight();
  });

  test('hundreds of dust payments on one invoice are settled a part at a time', async () => {
    const invoice = await journey.create({ fee_bearer: 'merchant' });
    journey.pay(invoice, '24.99');
    const dust = { to: invoice.address_to, asset: 'usdt_ethereum', units: usdt('0.0001') };
    journey.chain().payMany(Array.from({ length: 120 }, () => dust));
    await arrive();
    let asked = 0;
    const counting: RiskScreener = {
      screen: async () => {
        asked += 1;
        return { kind: 'pass' };
      },
    };
    await screen(counting);
    expect(asked).toBe(50);
    while ((await screen(counting)) > 0);
    expect(await statusOf(invoice)).toBe('paid_over');
    await journey.booksAreRight();
  });
});
