/**
 * The limit of a day, whenever and by whichever process payouts were made, and balances that a
 * reorganisation took below zero (safety.md U7).
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { fakeCapabilities } from '../../../src/adapters/chains/fake/fake-capabilities.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { startSigning, stopSigning } from '../../../src/app/sending/operate-payouts.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { anAddress } from '../../support/builders.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';
import { testClock } from '../../support/runtime/test-clock.ts';
import { startTestService } from '../../support/test-service.ts';

const HUNDRED_A_DAY = { ...UNLIMITED_PAYOUTS, dayMicroUsd: 100_000_000n };

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts within limits', () => {
  let stage: PayoutStage;
  afterEach(() => stage.close());
  const step = () => transferSender(stage.deps, stage.on, HUNDRED_A_DAY, OPEN_GATE).step();
  /** How many were let go; the others must be held. */
  const sentOf = async (ids: readonly string[]) => {
    let sent = 0;
    for (const id of ids) {
      const { status, held } = await stage.stored(id);
      if (status === 'processing') sent += 1;
      else
        expect({ status, held }).toEqual({
          status: 'pending',
          held: { code: 'limit', text: expect.stringContaining('limit') },
        });
    }
    return sent;
  };

  test('payouts that waited for a day while signing was stopped are within the limit of a day', async () => {
    stage = await openPayoutStage();
    await stopSigning(stage.deps)('an incident');
    const ids = [];
    for (let count = 0; count < 5; count += 1) ids.push(await stage.order({ amount: 90 }));
    await step();
    stage.journey.clock.advance(25 * 3_600);
    await startSigning(stage.deps)();
    await step();
    expect(await sentOf(ids)).toBe(1);
  });

  test('payouts that were made on different days count for the day on which they are let go', async () => {
    stage = await openPayoutStage();
    await stopSigning(stage.deps)('a long incident');
    const ids = [];
    for (let day = 0; day < 3; day += 1) {
      ids.push(await stage.order({ amount: 90 }));
      stage.journey.clock.advance(25 * 3_600);
    }
    await startSigning(stage.deps)();
    await step();
    expect(await sentOf(ids)).toBe(1);
    stage.journey.clock.advance(24 * 3_600);
    const next = await stage.order({ amount: 90 });
    await step();
    expect(await sentOf([next])).toBe(1);
  });

  test('two workers that let payouts of one merchant go at once are within the limit together', async () => {
    stage = await openPayoutStage();
    const ids = [await stage.order({ amount: 90 }), await stage.order({ amount: 90 })];
    const { nextNonce } = stage.on.sender;
    const both = Promise.withResolvers<void>();
    let asked = 0;
    stage.over.sender = {
      nextNonce: async (wallet, at) => {
        asked += 1;
        if (asked === 2) both.resolve();
        await both.promise;
        return nextNonce(wallet, at);
      },
    };
    await Promise.all([step(), step()]);
    stage.over.sender = {};
    expect(await sentOf(ids)).toBe(1);
  });

  test.each([
    ['two merchants', 2],
    ['one merchant', 1],
  ])('payouts of %s that leave together are within the limit of each', async (_, merchants) => {
    const capabilities = { ...fakeCapabilities('tron'), paymentsAtOnce: 200 };
    stage = await openPayoutStage({ at: { chain: 'tron', native: 'trx_tron' }, sender: { capabilities } });
    const { it, merchant } = stage.journey;
    const other = await it.merchant();
    const credit = { amount: 100, fiat_currency: 'USD', asset: 'usdt_tron' };
    const invoice = await it.call(other.live, 'POST', '/api/v2/invoices', credit);
    stage.journey.pay(invoice.body.result, String(invoice.body.result.amount));
    await stage.journey.mineToFinality();
    const ids = [];
    for (const key of [merchant.live, merchants === 1 ? merchant.live : other.live])
      ids.push(await stage.order({ amount: 90 }, key));
    stage.over.sender = {
      capabilities,
      prepare: async () => {
        throw new ChainUnavailable('no node answers');
      },
    };
    await step().catch(() => undefined);
    const open = await stage.open();
    expect([open.length, new Set(open.map(({ transferBatchId }) => transferBatchId)).size]).toEqual([
      merchants,
      1,
    ]);
    const held = await Promise.all(ids.map(async (id) => (await stage.stored(id)).held?.code ?? null));
    expect(held).toEqual(merchants === 1 ? [null, 'limit'] : [null, null]);
  });

  test('a payout with a smaller id than one that went is within the limit together with it (two APIs, 5 s of skew)', async () => {
    let second = '';
    stage = await openPayoutStage();
    const slow = testClock(new Date(stage.journey.clock.now().getTime() - 5_000));
    const { databaseUrl, service } = stage.journey.it;
    const other = await startTestService({
      env: { CHAINS: 'fake' },
      databaseUrl,
      dataDir: service.config.dataDir,
      overrides: { clock: slow },
    });
    try {
      const first = await stage.order({ amount: 90 });
      await step();
      expect((await stage.stored(first)).status).toBe('processing');
      const answer = await other.call(
        stage.journey.merchant.live,
        'POST',
        '/api/v2/payouts',
        { address: anAddress(), amount: 90, asset: 'usdt_ethereum' },
        { 'x-uniq-id': randomUUID() },
      );
      second = answer.body.result.order_id;
      expect(second < first).toBe(true);
    } finally {
      await other.stop();
    }
    await step();
    expect(await sentOf([second])).toBe(0);
  });

  /** The credited deposit of 1,000 leaves the chain: what was given out of it is owed. */
  async function clawBack(depth = 23, keep: readonly string[] = []): Promise<void> {
    const chain = stage.journey.chain();
    const watcher = stage.journey.it.service.watchers.get('ethereum');
    const readToTip = async () => {
      while ((await watcher?.poll())?.behind);
    };
    chain.mine(10);
    await readToTip();
    chain.reorg(depth, { keep });
    for (let round = 0; round < 3; round += 1) {
      chain.mine(12);
      await readToTip();
    }
    expect((await stage.journey.balance()).available).toBeLessThan(0);
  }

  test('payouts of a merchant whose credited deposit left the chain wait while its balance is below zero, and go by themselves after it (U7)', async () => {
    stage = await openPayoutStage();
    const id = await stage.order({ amount: 900 });
    await clawBack();
    await stage.step();
    expect(await stage.stored(id)).toMatchObject({
      status: 'pending',
      held: null,
      waiting: { code: 'negative_balance' },
    });
    stage.journey.pay(await stage.journey.create({ amount: 950 }), '960');
    await stage.journey.mineToFinality();
    expect((await stage.journey.balance()).available).toBeGreaterThanOrEqual(0);
    await stage.step();
    expect(await stage.stored(id)).toMatchObject({ status: 'processing', waiting: null });
    await stage.journey.booksAreRight();
  });

  /**
   * An invoice of 50 is paid and its refund ordered; a payout has most of what was credited before.
   */
  async function refundOrdered() {
    const invoice = await stage.journey.create({ amount: 50 });
    const txid = stage.journey.pay(invoice, String(invoice.amount));
    await stage.journey.mineToFinality();
    const payout = await stage.order({ amount: 900 });
    const ordered = await refundInvoice(stage.deps)(invoice.order_id, {
      to: anAddress(),
      amount: null,
      by: 'ann',
      force: true,
    });
    if (!ordered.ok) throw new Error(ordered.error.message);
    return { payout, refund: ordered.value.refund.id, txid };
  }

  test('a refund, which an operator ordered, does not wait for the balance to come back', async () => {
    stage = await openPayoutStage();
    const { payout, refund, txid } = await refundOrdered();
    await clawBack(35, [txid]);
    await stage.step();
    expect((await stage.stored(payout)).waiting).toMatchObject({ code: 'negative_balance' });
    expect((await stage.stored(refund)).status).toBe('processing');
  });

  test('a refund of a payment that left the chain waits', async () => {
    stage = await openPayoutStage();
    const { refund } = await refundOrdered();
    await clawBack(35);
    await stage.step();
    expect(await stage.stored(refund)).toMatchObject({
      status: 'pending',
      waiting: { code: 'payment_gone' },
    });
  });
});
