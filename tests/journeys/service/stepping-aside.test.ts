/**
 * Payouts that cannot be signed give their place to the next one: nothing is spent for it, nobody
 * waits, and an operator hears of it at last.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { releasePayout, retryPayout } from '../../../src/app/sending/operate-payouts.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { SendingRefused } from '../../../src/ports/sending/chain-sender.ts';
import { SigningRefused } from '../../../src/ports/sending/signer.ts';
import { anAddress } from '../../support/builders.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';
import { until } from '../../support/runtime/poll.ts';

const MINUTE = 60;

describe.skipIf(!needs('postgres', postgresAvailable()))('a payout that cannot be signed', () => {
  let stage: PayoutStage;
  let lines: LogLine[];
  beforeAll(async () => {
    stage = await openPayoutStage();
  });
  beforeEach(() => {
    lines = [];
    stage.over.sender = {};
    stage.over.beforeSigning = undefined;
  });
  afterAll(() => stage.close());

  async function steps(count: number, secondsEach = 0): Promise<void> {
    const sender = transferSender(
      { ...stage.deps, logger: memoryLogger(lines) },
      stage.on,
      UNLIMITED_PAYOUTS,
      OPEN_GATE,
    );
    for (let step = 0; step < count; step += 1) {
      await sender.step();
      stage.journey.chain().mine(13);
      stage.journey.clock.advance(secondsEach);
    }
  }
  /** `why` is thrown instead of an answer for a payment to the payout's address. */
  async function impede(payoutId: string, why: () => Error): Promise<void> {
    const { address } = await stage.stored(payoutId);
    const { prepare } = stage.on.sender;
    stage.over.sender = {
      prepare: async (order, replaces) => {
        if (!order.voids && order.payments.some(({ to }) => to === address)) throw why();
        return prepare(order, replaces);
      },
    };
  }
  const untried = () => new SendingRefused('untried', 'it cannot be tried: no answer within 4000 ms');
  const statuses = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await stage.stored(id)).status));
  const nextNonce = () => stage.on.sender.nextNonce(stage.hot);
  const alarms = () => lines.filter(({ level }) => level === 'error').map(({ event }) => event);
  async function bare(count: number): Promise<readonly string[]> {
    const ids = [];
    for (let made = 0; made < count; made += 1) ids.push(await stage.order());
    return ids;
  }

  test('G5: one to a contract that waits for fees says so without a place, and leaves when they fall', async () => {
    const before = await nextNonce();
    const { recipients } = stage.on.sender;
    const runCode = async (payments: readonly unknown[]) => payments.map(() => true);
    const payout = await stage.order();
    await impede(payout, () => new SendingRefused('fees', 'above the ceiling'));
    stage.over.sender = { ...stage.over.sender, recipients: { ...recipients!, runCode } };
    await steps(1);
    expect(await stage.stored(payout)).toMatchObject({
      ...{ status: 'pending', held: null, tries: 0 },
      waiting: { code: 'signing', reason: 'above the ceiling' },
    });
    expect(await nextNonce()).toBe(before);
    stage.over.sender = {};
    await steps(2);
    expect(await statuses([payout])).toEqual(['success']);
  });

  test('G4: one is tried also in a run that fails to give the others their nonces', async () => {
    const { recipients } = stage.on.sender;
    const [hard, other] = await bare(2);
    const { address } = await stage.stored(hard!);
    await impede(hard!, () => new SendingRefused('fees', 'above the ceiling'));
    const runCode = async (payments: readonly { to: string }[]) => payments.map(({ to }) => to === address);
    stage.over.sender = { ...stage.over.sender, recipients: { ...recipients!, runCode } };
    const id = () => {
      throw new Error('no id');
    };
    const ids = { ...stage.deps.ids, id };
    const sender = transferSender({ ...stage.deps, ids }, stage.on, UNLIMITED_PAYOUTS, OPEN_GATE);
    await expect(sender.step()).rejects.toThrow('no id');
    expect(await stage.stored(hard!)).toMatchObject({ waiting: { reason: 'above the ceiling' } });
    expect(await stage.stored(other!)).toMatchObject({ status: 'pending', dispatchedAt: null });
    stage.over.sender = {};
    await steps(2);
    expect(await statuses([hard!, other!])).toEqual(['success', 'success']);
  });

  test('G4: one that no node can try says so, and its nonce is the next one’s: nothing is spent for it', async () => {
    const before = await nextNonce();
    const hard = await stage.order();
    await impede(hard, untried);
    await steps(1);
    const others = await bare(3);
    await steps(2);
    expect(await stage.stored(hard)).toMatchObject({
      ...{ status: 'pending', held: null, tries: 1 },
      waiting: { code: 'trial', reason: expect.stringContaining('no answer within 4000 ms') },
    });
    expect(await statuses(others)).toEqual(['success', 'success', 'success']);
    expect(await nextNonce()).toBe(before + 3n);
    stage.over.sender = {};
    await steps(4, MINUTE);
    expect(await statuses([hard])).toEqual(['success']);
    expect((await stage.stored(hard)).tries).toBe(0);
    await stage.journey.booksAreRight();
  });

  test('G4: those behind it take its place before anything is signed for them: nothing is spent to use it up', async () => {
    const before = await nextNonce();
    const hard = await stage.order();
    const others = await bare(3);
    await impede(hard, untried);
    await steps(4);
    expect(await statuses([hard, ...others])).toEqual(['pending', 'success', 'success', 'success']);
    expect(await nextNonce()).toBe(before + 3n);
    stage.over.sender = {};
    await steps(4, MINUTE);
    expect(await statuses([hard])).toEqual(['success']);
    await stage.journey.booksAreRight();
  });

  test('G4: those to recipients who run code are tried before they have a place: no nonce is spent, and a merchant whose trials take long has one in half a minute', async () => {
    const before = await nextNonce();
    const hard: string[] = [];
    for (let made = 0; made < 5; made += 1) {
      const address = anAddress();
      stage.journey.chain().demand(address, 5n);
      hard.push(await stage.order({ address, asset: 'eth_ethereum', amount: 0.001 }));
    }
    const others = await bare(3);
    let asked = 0;
    const { prepare } = stage.on.sender;
    stage.over.sender = {
      prepare: async (order, replaces) => {
        if (order.asset !== 'eth_ethereum') return prepare(order, replaces);
        asked += 1;
        throw untried();
      },
    };
    await steps(10, 31);
    expect(asked).toBe(10);
    await steps(10, 0);
    expect(asked).toBe(11);
    expect(await statuses(others)).toEqual(['success', 'success', 'success']);
    expect(await nextNonce()).toBe(before + 3n);
    for (const id of hard) expect(await stage.stored(id)).toMatchObject({ waiting: { code: 'trial' } });
    stage.over.sender = {};
    await steps(4, MINUTE);
    expect(new Set(await statuses(hard))).toEqual(new Set(['success']));
    await stage.journey.booksAreRight();
  });

  test('G4: one whose recipient got code since it was ordered is tried before it has a place, and nobody waits for the trial', async () => {
    const before = await nextNonce();
    const address = anAddress();
    const late = await stage.order({ address, asset: 'eth_ethereum', amount: 0.001 });
    stage.journey.chain().demand(address, 5n);
    const other = await stage.order();
    const { promise: never, reject } = Promise.withResolvers<never>();
    const { prepare } = stage.on.sender;
    stage.over.sender = {
      prepare: (order, replaces) => (order.asset === 'eth_ethereum' ? never : prepare(order, replaces)),
    };
    const step = stage.step();
    await until(
      'the other one is signed',
      20_000,
      async () => (await stage.stored(other)).status === 'processing',
    );
    reject(new SendingRefused('undone', 'its recipient refuses it'));
    await step;
    expect(await statuses([late])).toEqual(['failed']);
    stage.over.sender = {};
    stage.journey.chain().mine(13);
    await steps(2);
    expect(await statuses([other])).toEqual(['success']);
    expect(await nextNonce()).toBe(before + 1n);
    await stage.journey.booksAreRight();
  });

  test('G4: it is tried after growing pauses, and held with an alarm at last; a release begins anew', async () => {
    const hard = await stage.order();
    let tries = 0;
    await impede(hard, () => {
      tries += 1;
      return untried();
    });
    const after: number[] = [];
    for (const minutes of [1, 4, 15, 5]) {
      await steps(minutes * 2, MINUTE / 2);
      after.push(tries);
    }
    expect(after).toEqual([2, 5, 7, 8]);
    expect(await stage.stored(hard)).toMatchObject({
      status: 'pending',
      held: { code: 'unclear', text: expect.stringContaining('it cannot be tried') },
    });
    expect(alarms()).toEqual(['payout.unsignable']);
    await steps(60, MINUTE);
    expect(tries).toBe(8);
    expect((await releasePayout(stage.deps)(hard)).ok).toBe(true);
    await steps(1);
    expect(tries).toBe(9);
    expect((await retryPayout(stage.deps)(hard)).ok).toBe(true);
    stage.over.sender = {};
    await steps(2);
    expect(await statuses([hard])).toEqual(['success']);
  });

  test.each([
    ['may never cost so much', 2_000, 'held'],
    ['may not cost so much while all fees are high', 1, 'waiting'],
  ] as const)('G5: one that %s by the policy stops nobody', async (_, factor, then) => {
    const dear = await stage.order();
    const { address } = await stage.stored(dear);
    let high = true;
    const { prepare } = stage.on.sender;
    stage.over.sender = {
      prepare: async (order, replaces) => {
        const unsigned = await prepare(order, replaces);
        return { ...unsigned, maxFeeUnits: unsigned.maxFeeUnits * BigInt(factor) };
      },
    };
    stage.over.beforeSigning = async ({ payments: [payment], voids }) => {
      if (!high || voids || payment?.to !== address) return;
      const { transferId } = payment;
      throw new SigningRefused('the fee is too high', { lasting: false, transferId, because: 'fee' });
    };
    const others = await bare(2);
    await steps(4);
    expect(await statuses([dear, ...others])).toEqual(['pending', 'success', 'success']);
    const found = await stage.stored(dear);
    if (then === 'held') {
      expect(found.held).toMatchObject({
        code: 'signer',
        text: expect.stringContaining('the fee is too high'),
      });
      expect(alarms()).toEqual(['payout.unsignable']);
      await releasePayout(stage.deps)(dear);
    } else {
      expect(found).toMatchObject({ held: null, waiting: { code: 'fee' } });
      await steps(120, MINUTE);
      expect(new Set(alarms())).toEqual(new Set(['payout.fee_over_policy']));
      expect(await stage.stored(dear)).toMatchObject({ held: null, waiting: { code: 'fee' } });
    }
    high = false;
    await steps(35, MINUTE);
    expect(await statuses([dear])).toEqual(['success']);
    await stage.journey.booksAreRight();
  });

  test('one whose nonce was signed for another payout, whose signature was lost, leaves under the next', async () => {
    const before = await nextNonce();
    const id = await stage.order();
    stage.over.beforeSigning = async ({ nonce, voids }) => {
      if (!voids && nonce === before)
        throw new SigningRefused('the nonce was signed for another transfer', { unusedFrom: before + 1n });
    };
    await steps(4, MINUTE);
    expect(await statuses([id])).toEqual(['success']);
    expect(await nextNonce()).toBe(before + 2n);
    await stage.journey.booksAreRight();
  });
});
