/** Who orders a refund, and what it may take from the merchant's balance (safety.md G8). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import type { RefundOrder } from '../../../src/app/payouts/refunds/refund-terms.ts';
import { parseDecimal } from '../../../src/domain/money/decimal.ts';
import { anAddress } from '../../support/builders.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('refunds and the balance of the merchant', () => {
  let journey: FakeJourney;
  beforeAll(async () => {
    journey = await openFakeJourney();
    const hotWallet = journey.it.service.sending.chains.get('ethereum')?.deriver.hotWallet() ?? '';
    journey.chain().fund(hotWallet, 'usdt_ethereum', usdt('100000'));
    journey.chain().fund(hotWallet, 'eth_ethereum', 100n * 10n ** 18n);
    await journey.mineToFinality();
  });
  afterAll(() => journey.close());

  const deps = () => journey.it.service.dependencies;
  const statusOf = async (invoice: Json): Promise<string> => (await journey.read(invoice.order_id)).status;
  const available = async (): Promise<number> => (await journey.balance()).available;
  const micros = (dollars: number): bigint => BigInt(Math.round(dollars * 1e6));
  type Wanted = Partial<Omit<RefundOrder, 'amount'>> & { amount?: string };
  const refund = (invoice: Json, { amount, ...wanted }: Wanted = {}) =>
    refundInvoice(deps())(invoice.order_id, {
      to: null,
      by: 'ann',
      ...wanted,
      amount: amount === undefined ? null : parseDecimal(amount),
    });
  async function refusal(invoice: Json, wanted?: Wanted): Promise<unknown> {
    const before = [await available(), await statusOf(invoice)];
    const result = await refund(invoice, wanted);
    if (result.ok) throw new Error('it was refunded');
    expect([await available(), await statusOf(invoice)]).toEqual(before);
    return result.error;
  }
  const BELOW_ZERO = {
    code: 'PAYOUT_REJECTED',
    message: expect.stringContaining('below zero'),
    details: { rule: 'insufficient_balance' },
  };
  /** An invoice of 25 USDT that was paid. */
  async function paid(from: string, amount: string): Promise<Json> {
    const invoice = await journey.create();
    journey.chain().pay({ to: invoice.address_to, asset: 'usdt_ethereum', units: usdt(amount), from });
    await journey.mineToFinality();
    await journey.it.settle();
    return invoice;
  }
  /** A payout of the merchant's whole balance but for so many dollars. */
  async function spendAllBut(dollars: number): Promise<string> {
    const body = { address: anAddress(), asset: 'usdt_ethereum', fee_bearer: 'client' };
    const amount = Math.floor((await available()) - dollars);
    const headers = { 'x-uniq-id': randomUUID() };
    const made = await journey.it.call(
      journey.merchant.live,
      'POST',
      '/api/v2/payouts',
      { ...body, amount },
      headers,
    );
    expect(made.body).toMatchObject({ ok: true });
    return made.body.result.order_id;
  }

  test('G8: a refund that takes the balance below zero is refused unless an operator insists', async () => {
    const invoice = await paid(anAddress(), '25.25');
    await spendAllBut(10);
    const had = await available();
    expect(await refusal(invoice)).toMatchObject(BELOW_ZERO);
    const forced = await refund(invoice, { force: true });
    expect(forced).toMatchObject({
      value: {
        availableBeforeMicroUsd: micros(had),
        availableAfterMicroUsd: micros(had) - 25_000_000n,
        refund: { reservedMicroUsd: 25_000_000n },
      },
    });
    expect(await available()).toBeCloseTo(had - 25, 6);
    await journey.booksAreRight();
  });

  const payout = (id: string) => deps().unitOfWork.run((r) => r.payouts.lock(id));
  async function sendAll(): Promise<void> {
    await journey.it.settle();
    await journey.mineToFinality();
    await journey.it.settle();
  }

  test('G8: no refund takes the money of a payout that waits to leave', async () => {
    const invoice = await paid(anAddress(), '2020');
    const id = await spendAllBut(10);
    expect(await refusal(invoice)).toMatchObject(BELOW_ZERO);
    await sendAll();
    expect(await payout(id)).toMatchObject({ status: 'success' });
    await journey.booksAreRight();
  });

  test('G8: a payout whose money a forced refund took says what it waits for, and leaves then', async () => {
    const invoice = await paid(anAddress(), '2020');
    const id = await spendAllBut(10);
    expect(await refund(invoice, { force: true })).toMatchObject({ ok: true });
    await sendAll();
    expect(await payout(id)).toMatchObject({ status: 'pending', waiting: { code: 'negative_balance' } });
    await paid(anAddress(), '2020');
    await sendAll();
    expect(await payout(id)).toMatchObject({ status: 'success', waiting: null });
    await journey.booksAreRight();
  });

  test('G8: a trial run shows both balances, is refused like the real one, and changes nothing', async () => {
    const invoice = await paid(anAddress(), '2020');
    const had = micros(await available());
    const tried = await refund(invoice, { dryRun: true, amount: '1000' });
    if (!tried.ok) throw new Error(tried.error.message);
    const { refund: planned, availableBeforeMicroUsd, availableAfterMicroUsd } = tried.value;
    expect(availableBeforeMicroUsd).toBe(had);
    expect(availableAfterMicroUsd).toBe(had - planned.reservedMicroUsd);
    expect([micros(await available()), await statusOf(invoice)]).toEqual([had, 'paid_over']);
    expect(await deps().unitOfWork.run((r) => r.payouts.lock(planned.id))).toBeNull();
    await spendAllBut(10);
    expect(await refusal(invoice, { dryRun: true })).toMatchObject(BELOW_ZERO);
  });

  test('G8: the feed and the database say who ordered a refund, also when it fails', async () => {
    const from = anAddress();
    const invoice = await paid(from, '25.25');
    const made = await refund(invoice, { by: 'Ann Example', force: true });
    if (!made.ok) throw new Error(made.error.message);
    expect(await deps().unitOfWork.run((r) => r.payouts.lock(made.value.refund.id))).toMatchObject({
      orderedBy: 'Ann Example',
    });
    await journey.it.settle();
    journey.chain().revertNext(from);
    await journey.mineToFinality();
    await journey.it.settle();
    const lines = (
      await journey.it.call(journey.merchant.live, 'GET', '/api/v2/ledger?type=refund')
    ).body.result.filter((line: Json) => line.reference_id === invoice.order_id);
    expect(lines.map((line: Json) => [line.amount > 0, line.network_fee ?? false, line.ordered_by])).toEqual([
      [true, true, 'Ann Example'],
      [false, false, 'Ann Example'],
      [true, false, 'Ann Example'],
    ]);
  });
});
