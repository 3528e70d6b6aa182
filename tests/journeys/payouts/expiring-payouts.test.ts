/**
 * Where transactions expire (here: the fake Tron), a payout is signed again once what was signed is
 * dead, and paid exactly once.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { VALID_BLOCKS } from '../../../src/adapters/chains/fake/fake-capabilities.ts';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { giveUpSweep } from '../../../src/app/sweeps/give-up-sweep.ts';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { SendingRefused } from '../../../src/ports/sending/chain-sender.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';

const FINAL = 19;

const runSweeps = ({ journey }: PayoutStage, name: string) => journey.it.run(name);

const ready = needs('postgres', postgresAvailable());

describe.skipIf(!ready)('a payout whose transaction expires', () => {
  let stage: PayoutStage;
  beforeEach(async () => {
    stage = await openPayoutStage({ at: { chain: 'tron', native: 'trx_tron' } });
  });
  afterEach(() => stage.close());

  const arrived = async (id: string): Promise<number> => {
    const { address } = await stage.stored(id);
    return stage.journey.chain().received(address).length;
  };
  const mine = async (blocks: number): Promise<void> => {
    stage.journey.chain().mine(blocks);
    await stage.journey.it.settle();
  };

  test('is signed again once, when no block can take it any more, and paid once', async () => {
    stage.journey.chain().spoilBroadcasts('lose');
    const id = await stage.order();
    await stage.step();
    await mine(VALID_BLOCKS + FINAL - 2);
    await stage.step();
    expect(await stage.signedOf(id)).toHaveLength(1);
    await mine(2);
    stage.journey.chain().spoilBroadcasts(null);
    await stage.step();
    await stage.step();
    const signed = await stage.signedOf(id);
    expect(signed.map(({ ordinal }) => ordinal)).toEqual([1, 2]);
    expect(signed[1]?.validUntil).toBeGreaterThan(signed[0]?.validUntil ?? 0n);
    await mine(FINAL + 1);
    await stage.step();
    expect(await stage.stored(id)).toMatchObject({ status: 'success', txid: signed[1]?.txid });
    expect(await arrived(id)).toBe(1);
  });

  const cancel = async (id: string) => expect((await cancelPayout(stage.deps)(id)).ok).toBe(true);

  test('G3: that an operator cancels is not handed out again, and is cancelled when it has expired', async () => {
    const { available } = await stage.journey.balance();
    stage.journey.chain().spoilBroadcasts('lose');
    const id = await stage.order();
    await stage.step();
    await cancel(id);
    stage.journey.chain().spoilBroadcasts(null);
    for (let step = 0; step < 3; step += 1) await stage.step();
    expect(stage.journey.chain().waiting()).toEqual([]);
    expect((await stage.stored(id)).status).toBe('processing');
    await mine(VALID_BLOCKS + FINAL + 1);
    await stage.step();
    expect(await stage.stored(id)).toMatchObject({ status: 'cancelled', txid: null });
    expect(await arrived(id)).toBe(0);
    expect((await stage.journey.balance()).available).toBe(available);
    await stage.journey.booksAreRight();
  });

  test('G3: that an operator cancels and a block takes all the same is paid', async () => {
    const id = await stage.order();
    await stage.step();
    await cancel(id);
    await mine(VALID_BLOCKS + FINAL + 1);
    await stage.step();
    expect((await stage.stored(id)).status).toBe('success');
    expect(await arrived(id)).toBe(1);
    await stage.journey.booksAreRight();
  });

  test('G4: that no node can try when it is to be signed again is tried after pauses, with an alarm, and paid once', async () => {
    const lines: LogLine[] = [];
    const deps = { ...stage.deps, logger: memoryLogger(lines) };
    const sender = transferSender(deps, stage.on, UNLIMITED_PAYOUTS, OPEN_GATE);
    stage.journey.chain().spoilBroadcasts('lose');
    const id = await stage.order();
    await sender.step();
    let tries = 0;
    stage.over.sender = {
      prepare: async () => {
        tries += 1;
        throw new SendingRefused('untried', 'it cannot be tried');
      },
    };
    stage.journey.chain().mine(VALID_BLOCKS + FINAL + 1);
    stage.journey.chain().spoilBroadcasts(null);
    for (let minute = 0; minute < 60; minute += 1) {
      await sender.step();
      stage.journey.clock.advance(60);
    }
    expect(tries).toBeLessThan(12);
    expect(await stage.stored(id)).toMatchObject({ status: 'processing', waiting: { code: 'trial' } });
    expect(lines.map(({ event }) => event)).toContain('transfer.unsignable');
    stage.over.sender = {};
    stage.journey.clock.advance(3_600);
    await sender.step();
    await mine(FINAL + 1);
    await sender.step();
    expect((await stage.stored(id)).status).toBe('success');
    expect(await arrived(id)).toBe(1);
  });

  test('is not hurried by an operator: nothing else is signed while it may still be mined', async () => {
    stage.journey.chain().spoilBroadcasts('refuse');
    const id = await stage.order();
    await stage.step();
    for (let minute = 0; minute < 30; minute += 1) {
      stage.journey.clock.advance(60);
      await stage.step();
    }
    expect(await stage.signedOf(id)).toHaveLength(1);
    stage.journey.chain().spoilBroadcasts(null);
    await stage.step();
    await mine(FINAL + 1);
    await stage.step();
    expect((await stage.stored(id)).status).toBe('success');
    expect(await arrived(id)).toBe(1);
  });

  test('that waits does not keep the others: a nonce only names it', async () => {
    const first = await stage.order();
    stage.refused.add(first);
    const second = await stage.order();
    await stage.step();
    await mine(FINAL + 1);
    await stage.step();
    const statuses = await Promise.all([first, second].map(async (id) => (await stage.stored(id)).status));
    expect(statuses).toEqual(['pending', 'success']);
    expect(await stage.open()).toEqual([]);
  });
});

describe.skipIf(!ready)('a sweep', () => {
  let stage: PayoutStage | null = null;
  afterEach(() => stage?.close());

  async function open(chain: 'tron' | 'solana', native: string): Promise<PayoutStage> {
    stage = await openPayoutStage({ at: { chain, native } });
    for (const asset of [`usdt_${chain}`, native])
      expect((await bookCapital(stage.deps, stage.on)({ asset, note: 'test', dryRun: false })).ok).toBe(true);
    return stage;
  }

  test('that was given up, and whose transaction expired, ends: its nonce need not be used up', async () => {
    const { journey, deps, on, step } = await open('tron', 'trx_tron');
    await requestSweeps(deps, on, { asset: null, address: null });
    journey.chain().spoilBroadcasts('lose');
    await runSweeps(stage!, 'sweep:tron');
    await step();
    const [topup] = (await stage!.open()).filter(({ purpose }) => purpose === 'topup');
    expect(topup?.status).toBe('signed');
    expect((await giveUpSweep(deps)(topup!.id)).ok).toBe(true);
    journey.chain().mine(VALID_BLOCKS + FINAL + 1);
    await journey.it.settle();
    await step();
    expect(await stage!.open()).toEqual([]);
    const [ended] = await deps.unitOfWork.run((r) => r.outgoing.find([topup!.id]));
    expect(ended).toMatchObject({ status: 'failed', failure: { code: 'operator' }, txid: null });
  });

  test('takes its fee from the hot wallet where that pays for all, needs no gas, and the books are right', async () => {
    const { journey, deps, on, step, hot } = await open('solana', 'sol_solana');
    const before = journey.chain().balanceOf(hot, 'sol_solana');
    const [planned] = await requestSweeps(deps, on, { asset: null, address: null });
    const { address } = planned!;
    for (let round = 0; round < 4; round += 1) {
      await runSweeps(stage!, 'sweep:solana');
      await step();
      journey.chain().mine(33);
      await journey.it.settle();
      await step();
    }
    expect(journey.chain().balanceOf(address, 'usdt_solana')).toBe(0n);
    expect(journey.chain().balanceOf(address, 'sol_solana')).toBe(0n);
    expect(journey.chain().balanceOf(hot, 'sol_solana')).toBeLessThan(before);
    expect(await reconcileChain(deps, on, { height: null })).toMatchObject({
      differences: [],
      unavailable: null,
    });
    await journey.booksAreRight();
  });
});
