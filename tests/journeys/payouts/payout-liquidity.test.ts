/**
 * What payouts that wait for money do to others, and what two workers do to one spendable balance.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { anAddress } from '../../support/builders.ts';
import { usdt } from '../../support/fake/fake-journey.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts and the hot wallet’s money', () => {
  let stage: PayoutStage;
  afterEach(() => stage.close());

  test('400 small payouts of a coin that the hot wallet lacks do not stop the payouts of other coins', async () => {
    stage = await openPayoutStage({ usdt: '0' });
    for (let batch = 0; batch < 2; batch += 1) {
      const items = Array.from({ length: 200 }, () => ({
        address: anAddress(),
        amount: 0.01,
        asset: 'usdt_ethereum',
        fee_bearer: 'merchant',
      }));
      const answer = await stage.journey.it.call(
        stage.journey.merchant.live,
        'POST',
        '/api/v2/payouts/batch',
        { items },
        { 'x-uniq-id': randomUUID() },
      );
      expect(answer.body.result.items.every((item: { status: string }) => item.status === 'pending')).toBe(
        true,
      );
    }
    const other = await stage.order({ asset: 'eth_ethereum', amount: 0.001 });
    for (let round = 0; round < 3; round += 1) {
      await stage.step();
      stage.journey.chain().mine(13);
    }
    expect((await stage.stored(other)).status).toBe('success');
  }, 120_000);

  /** Both workers have looked into the spendable balance before either takes from it. */
  async function twoWorkersTakeAtOnce(floorUnits: ReadonlyMap<string, bigint>): Promise<void> {
    const { nextNonce } = stage.on.sender;
    let waiting = 0;
    const both = Promise.withResolvers<void>();
    stage.over.sender = {
      nextNonce: async (wallet, at) => {
        waiting += 1;
        if (waiting === 2) both.resolve();
        await both.promise;
        return nextNonce(wallet, at);
      },
    };
    const limits = { ...UNLIMITED_PAYOUTS, floorUnits };
    const worker = () => transferSender(stage.deps, stage.on, limits, OPEN_GATE).step();
    await Promise.allSettled([worker(), worker()]);
    stage.over.sender = {};
  }

  test('two workers together do not take the hot wallet below its floor', async () => {
    stage = await openPayoutStage({ usdt: '100' });
    const [one, two] = [await stage.order({ amount: 30 }), await stage.order({ amount: 30 })];
    await twoWorkersTakeAtOnce(new Map([['usdt_ethereum', usdt('60')]]));
    const statuses = [(await stage.stored(one)).status, (await stage.stored(two)).status];
    expect(statuses.toSorted()).toEqual(['pending', 'processing']);
    stage.journey.chain().mine(13);
    expect(stage.journey.chain().balanceOf(stage.hot, 'usdt_ethereum')).toBeGreaterThanOrEqual(usdt('60'));
  });

  test('two workers together order no more than there is: nothing is allocated that cannot be signed', async () => {
    stage = await openPayoutStage({ usdt: '40' });
    const [one, two] = [await stage.order({ amount: 30 }), await stage.order({ amount: 30 })];
    await twoWorkersTakeAtOnce(new Map());
    const small = await stage.order({ asset: 'eth_ethereum', amount: 0.001 });
    for (let round = 0; round < 5; round += 1) {
      stage.journey.chain().mine(13);
      await stage.step();
    }
    const ends = [(await stage.stored(one)).status, (await stage.stored(two)).status].toSorted();
    expect((await stage.stored(small)).status).toBe('success');
    // One is paid; the other waits for liquidity, as it would with one worker.
    expect(ends).toEqual(['pending', 'success']);
  });

  test('a payout that is mined and not final yet is not taken from the purse twice', async () => {
    stage = await openPayoutStage({ usdt: '100' });
    const first = await stage.order({ amount: 60 });
    await stage.step();
    stage.journey.chain().mine(2);
    await stage.step();
    expect((await stage.stored(first)).status).toBe('processing');
    const second = await stage.order({ amount: 5 });
    await stage.step();
    expect(stage.journey.chain().balanceOf(stage.hot, 'usdt_ethereum')).toBe(usdt('40'));
    expect((await stage.stored(second)).status).toBe('processing');
  });
});
