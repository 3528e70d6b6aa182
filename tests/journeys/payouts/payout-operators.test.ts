/**
 * What operators do to payouts on a fake chain: every decision in every state, also in the middle
 * of a signature.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  cancelPayout,
  holdPayout,
  releasePayout,
  retryPayout,
  startSigning,
  stopSigning,
} from '../../../src/app/sending/operate-payouts.ts';
import { SignerUnavailable, SigningRefused } from '../../../src/ports/sending/signer.ts';
import { type FakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { openPayoutJourney, type PayoutJourney } from '../../support/payouts/payout-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('operators and payouts', () => {
  let world: PayoutJourney;
  let journey: FakeJourney;
  beforeAll(async () => {
    world = await openPayoutJourney();
    journey = world.journey;
  });
  beforeEach(() => world.beforeSigning(null));
  afterAll(() => journey.close());
  const deps = () => journey.it.service.dependencies;
  const order = () => world.order();
  const stored = (id: string) => world.stored(id);
  const finish = () => world.finish();
  const received = (to: string) => world.received(to);
  const available = async (): Promise<number> => (await journey.balance()).available;
  const transferOf = (id: string) => world.transferOf(id);

  const signerAway = async () => {
    throw new SignerUnavailable('the signer is away');
  };
  const STATES: Record<string, (id: string, to: string) => Promise<unknown>> = {
    pending: async () => undefined,
    held: (id) => holdPayout(deps())(id, 'a test'),
    allocated: async () => {
      world.beforeSigning(signerAway);
      await journey.it.settle(1);
    },
    processing: () => journey.it.settle(),
    success: () => finish(),
    failed: async (_id, to) => {
      await journey.it.settle();
      journey.chain().revertNext(to);
      await finish();
    },
    cancelled: (id) => cancelPayout(deps())(id),
  };
  const DECISIONS = {
    hold: (id: string) => holdPayout(deps())(id, 'by hand'),
    release: (id: string) => releasePayout(deps())(id),
    cancel: (id: string) => cancelPayout(deps())(id),
    retry: (id: string) => retryPayout(deps())(id),
  };
  const ended = 'it has ended';
  const signed = 'a transaction that pays it is signed';
  /** What each decision answers: the status then, or why it was refused. */
  const TABLE: readonly [state: string, decision: keyof typeof DECISIONS, answers: string][] = [
    ['pending', 'hold', 'pending held'],
    ['pending', 'release', 'pending and not held'],
    ['pending', 'cancel', 'cancelled'],
    ['pending', 'retry', 'pending'],
    ['held', 'hold', 'pending held'],
    ['held', 'release', 'pending released'],
    ['held', 'cancel', 'cancelled'],
    ['held', 'retry', 'release it'],
    ['allocated', 'hold', 'pending held'],
    ['allocated', 'release', 'pending and not held'],
    ['allocated', 'cancel', 'cancelled'],
    ['allocated', 'retry', 'pending'],
    ['processing', 'hold', signed],
    ['processing', 'release', 'processing and not held'],
    ['processing', 'cancel', 'processing'],
    ['processing', 'retry', 'processing'],
    ...(['success', 'failed', 'cancelled'] as const).flatMap(
      (state) =>
        [
          [state, 'hold', ended],
          [state, 'release', `${state} and not held`],
          [state, 'cancel', ended],
          [state, 'retry', 'is not tried again'],
        ] as [string, keyof typeof DECISIONS, string][],
    ),
  ];

  test.each(TABLE)('a payout that is %s, %s: %s', async (state, decision, answers) => {
    const before = await available();
    const { id, to } = await order();
    await STATES[state]?.(id, to);
    const was = await stored(id);
    const decided = await DECISIONS[decision](id);
    const now = await stored(id);
    if (decided.ok) {
      const mark = now.held === null ? (now.released ? ' released' : '') : ' held';
      expect(now.status + mark).toBe(answers);
      expect(decided.value).toEqual(now);
    } else {
      expect(decided.error).toMatchObject({ code: 'INVALID_TRANSITION' });
      expect(decided.error.message).toContain(answers);
      expect(now).toEqual(was);
    }
    await finish();
    const last = await stored(id);
    const paid = last.status === 'success';
    const cancelled = state === 'processing' && decision === 'cancel';
    expect(paid).toBe(!cancelled && now.held === null && !['failed', 'cancelled'].includes(now.status));
    if (cancelled) expect(last.status).toBe('cancelled');
    expect(received(to)).toBe(paid ? usdt('5') : 0n);
    const backAgain = ['failed', 'cancelled'].includes(last.status);
    const wasted = Number(last.wastedFeeMicroUsd) / 1e6;
    expect(Math.abs((await available()) + wasted - before) < 1e-6).toBe(backAgain);
    await journey.booksAreRight();
  });

  test.each(['hold', 'cancel', 'stop'] as const)(
    'a payout is never signed when an operator decides %s between the network and the store',
    async (decision) => {
      const before = await available();
      const { id, to } = await order();
      world.beforeSigning(async () =>
        decision === 'stop' ? stopSigning(deps())('a drill') : DECISIONS[decision](id),
      );
      await journey.it.settle();
      await journey.it.settle();
      expect((await stored(id)).txHashes).toEqual([]);
      await finish();
      expect(received(to)).toBe(0n);
      const status = decision === 'cancel' ? 'cancelled' : 'pending';
      expect((await stored(id)).status).toBe(status);
      expect((await available()) === before).toBe(decision === 'cancel');
      await journey.booksAreRight();
      if (decision === 'stop') expect(await startSigning(deps())()).toBe(true);
      if (decision === 'hold') await releasePayout(deps())(id);
      // Whatever nonce it had taken stops nobody behind it.
      const next = await order();
      await finish();
      expect((await stored(next.id)).status).toBe('success');
      expect(received(to)).toBe(decision === 'cancel' ? 0n : usdt('5'));
      await journey.booksAreRight();
    },
  );

  test('a signer that refuses what was held or cancelled meanwhile neither fails it nor makes it wait', async () => {
    for (const decision of ['hold', 'cancel'] as const) {
      const { id, to } = await order();
      world.beforeSigning(async () => {
        await DECISIONS[decision](id);
        throw new SigningRefused('the payout may not be paid');
      });
      await journey.it.settle();
      const status = decision === 'hold' ? 'pending' : 'cancelled';
      expect(await stored(id)).toMatchObject({ status, waiting: null, failure: null });
      await finish();
      expect(received(to)).toBe(0n);
      if (decision === 'hold') expect((await cancelPayout(deps())(id)).ok).toBe(true);
    }
    await journey.booksAreRight();
  });

  test('a held payout hands its nonce on, and is paid once when it is released', async () => {
    const { id, to } = await order();
    await STATES.allocated?.(id, to);
    const first = await transferOf(id);
    await holdPayout(deps())(id, 'a test');
    expect(await transferOf(id)).toBeNull();
    const other = await order();
    await journey.it.settle();
    await releasePayout(deps())(id);
    await journey.it.settle();
    expect((await transferOf(other.id))?.nonce).toBe(first?.nonce ?? -1n);
    const second = await transferOf(id);
    expect(second?.nonce).toBe((first?.nonce ?? 0n) + 1n);
    expect((await stored(id)).txHashes).toEqual([...(second?.txids ?? [])]);
    await finish();
    expect(await stored(id)).toMatchObject({ status: 'success', released: true });
    await journey.booksAreRight();
    // Nor when a reorganisation takes both of them off the chain.
    journey.chain().reorg(36);
    await journey.it.settle();
    expect((await stored(id)).status).toBe('processing');
    await journey.booksAreRight();
    await finish();
    expect((await stored(id)).status).toBe('success');
    expect(received(to)).toBe(usdt('5'));
    await journey.booksAreRight();
  });

  test('a retry replaces the newest transaction once, however young it is', async () => {
    const { id, to } = await order();
    await journey.it.settle();
    expect((await stored(id)).txHashes).toHaveLength(1);
    expect((await retryPayout(deps())(id)).ok).toBe(true);
    await journey.it.settle(3);
    const replaced = await stored(id);
    expect(replaced.txHashes).toHaveLength(2);
    await finish();
    expect(await stored(id)).toMatchObject({ status: 'success', txHashes: replaced.txHashes });
    expect(received(to)).toBe(usdt('5'));
  });

  test('a payout that does not exist is told apart from one that cannot be changed', async () => {
    for (const decide of Object.values(DECISIONS)) {
      expect(await decide('ffffffffffffffffffffffff')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    }
  });
});
