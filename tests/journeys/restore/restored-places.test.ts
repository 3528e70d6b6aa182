/**
 * Places in a wallet's nonce, as an older database gives them, that were handed on since (safety.md
 * K4).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { aheadOfUs } from '../../../src/app/sending/nonces/nonce-ahead.ts';
import { holdPayout, startSigning, stopSigning } from '../../../src/app/sending/operate-payouts.ts';
import { type StartGate, startGate } from '../../../src/app/sending/restart/start-gate.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { SendingRefused } from '../../../src/ports/sending/chain-sender.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { type DatabaseBackup, databaseBackup } from '../../support/postgres/database-backup.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('places of an older database', () => {
  let stage: PayoutStage;
  let kept: DatabaseBackup;
  beforeAll(async () => {
    stage = await openPayoutStage();
    kept = databaseBackup(stage.journey.it.databaseUrl);
  });
  afterAll(async () => {
    await kept.close();
    await stage.close();
  });
  async function mineOn(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      stage.journey.clock.advance(30);
      await stage.journey.mineToFinality();
    }
  }

  async function look(gate: StartGate): Promise<void> {
    await stage.deps.unitOfWork.run((repositories) => gate.look(repositories));
    await gate.open();
  }

  /**
   * Of two in the backup, neither was signed while fees were high. Then the first one fails, and
   * the second may take its place.
   */
  async function twoPlaces(): Promise<{ first: string; second: string }> {
    stage.over.sender = { prepare: () => Promise.reject(new SendingRefused('fees', 'above the ceiling')) };
    const [first, second] = [await stage.order(), await stage.order()];
    await stage.journey.it.settle();
    const open = await stage.open();
    expect(open.map(({ status, referenceId }) => [status, referenceId])).toEqual([
      ['allocated', first],
      ['allocated', second],
    ]);
    await kept.take();
    stage.over.sender = {};
    stage.journey.chain().refuse((await stage.stored(first)).address, true);
    return { first: first!, second: second! };
  }
  async function onlyTheSecondIsPaid({ first, second }: { first: string; second: string }): Promise<void> {
    const payouts = await Promise.all([first, second].map(stage.stored));
    const received = payouts.map(({ address: to }) => stage.journey.chain().received(to).length);
    expect(received).toEqual([0, 1]);
    expect(payouts.map(({ held }) => held?.code)).toEqual(['restored', 'restored']);
  }
  /** With the first one's recipient at peace again. */
  async function putBack({ first }: { first: string }): Promise<void> {
    stage.journey.chain().refuse((await stage.stored(first)).address, false);
    await kept.putBack();
  }

  test('K4: one that was paid under a lower nonce than it has there is not signed before the chain was read', async () => {
    const two = await twoPlaces();
    await mineOn();
    expect((await stage.stored(two.second)).status).toBe('success');
    await putBack(two);
    await stage.step();
    await mineOn();
    await onlyTheSecondIsPaid(two);
  });

  test('K4: one that waits for a block under a lower nonce than it has there is not paid by another transaction', async () => {
    const two = await twoPlaces();
    for (let round = 0; round < 3; round += 1) {
      stage.journey.clock.advance(30);
      await stage.journey.it.settle();
    }
    expect((await stage.stored(two.second)).status).toBe('processing');
    await putBack(two);
    for (let round = 0; round < 4; round += 1) {
      await stage.journey.it.settle();
      stage.journey.clock.advance(20);
    }
    await mineOn();
    await onlyTheSecondIsPaid(two);
  });

  test('K4: while nodes tell differently of what waits, what it may pay is not paid by another transaction', async () => {
    await stopSigning(stage.deps)('a backup is taken');
    const [first, second] = [await stage.order(), await stage.order()];
    await stage.journey.it.settle();
    await kept.take();
    // What waits pays the second one, under the nonce that is the first one's next.
    await holdPayout(stage.deps)(first, 'later');
    await startSigning(stage.deps)();
    stage.journey.chain().setFeeLevel(150);
    await stage.journey.it.settle();
    stage.journey.chain().setFeeLevel(100);
    expect((await stage.stored(second)).status).toBe('processing');
    const waiting = await stage.on.sender.reportedNonces!(stage.hot);
    await kept.putBack();
    await startSigning(stage.deps)();
    stage.over.sender = {
      reportedNonces: async () => ({ ...waiting, lowest: waiting.lowest - 1n }),
    };
    for (let round = 0; round < 4; round += 1) {
      await stage.journey.it.settle();
      stage.journey.clock.advance(20);
    }
    stage.over.sender = {};
    await mineOn();
    const { address } = await stage.stored(second);
    expect(stage.journey.chain().received(address)).toHaveLength(1);
  });

  test('K4: that a chain was not read for a while is known to later starts until one has waited for what there was', async () => {
    await stopSigning(stage.deps)('for a moment');
    const pending = await stage.order();
    const isResumed = async () =>
      (await stage.deps.unitOfWork.run(({ chains }) => chains.reads(stage.on.chain)))?.resumedAt !== null;
    const gate = startGate(stage.deps, stage.on);
    await look(gate);
    stage.journey.clock.advance(61);
    await stage.journey.mineToFinality();
    expect([gate.keeps(pending), await isResumed()]).toEqual([true, true]);
    await look(gate);
    expect([gate.keeps(pending), await isResumed()]).toEqual([false, false]);
    await startSigning(stage.deps)();
    await mineOn();
  });

  test('K4: gas for a sweep is signed only once nodes were asked what uses the nonces of the wallet', async () => {
    await stopSigning(stage.deps)('for a moment');
    await stage.order();
    const gate = startGate(stage.deps, stage.on);
    stage.over.sender = { reportedNonces: () => Promise.reject(new ChainUnavailable('away')) };
    await expect(look(gate)).rejects.toThrow('away');
    expect(gate.keeps('a sweep')).toBe(true);
    stage.over.sender = {};
    await look(gate);
    expect(gate.keeps('a sweep')).toBe(false);
    await startSigning(stage.deps)();
    await mineOn();
  });

  test('K4: what waits for a block and is ours holds nothing at a start, also where no node tells of all of it', async () => {
    stage.journey.chain().setFeeLevel(150);
    const ours = [await stage.order(), await stage.order()];
    await stage.journey.it.settle();
    stage.journey.chain().setFeeLevel(100);
    await stopSigning(stage.deps)('for a moment');
    const pending = await stage.order();
    const { lowest, highest } = await stage.on.sender.reportedNonces!(stage.hot);
    const told = { lowest: lowest - 1n, highest: highest - 1n, complete: true };
    stage.over.sender = { reportedNonces: async () => told };
    const gate = startGate(stage.deps, stage.on);
    for (let round = 0; round < 3; round += 1) {
      await look(gate);
      await stage.journey.it.settle();
    }
    expect(gate.keeps(pending)).toBe(false);
    const states = await Promise.all([...ours, pending].map(stage.stored));
    expect(states.map(({ status, held }) => [status, held])).toEqual([
      ['processing', null],
      ['processing', null],
      ['pending', null],
    ]);
  });

  test('K4: what was pending while nonces were used elsewhere is held, unless each of them was found in a block', async () => {
    await stopSigning(stage.deps)('for a moment');
    const pending = await stage.order();
    const { chain } = stage.on;
    const now = stage.journey.clock.now();
    const block = { height: 1, hash: 'a block' };
    const found = {
      ...{ chain, wallet: stage.hot, block, minedAt: now, notedAt: now },
      ...{ feeUnits: null, payments: [], harmless: false },
    };
    await stage.deps.unitOfWork.run(async ({ unknown }) => {
      for (const nonce of [1_000n, 1_001n]) await unknown.note({ ...found, txid: `${nonce}`, nonce });
    });
    const ahead = aheadOfUs(stage.deps, stage.on);
    await ahead.begun(stage.hot);
    await ahead.proven({ wallet: stage.hot, from: 1_000n, below: 1_002n });
    expect((await stage.stored(pending)).held).toBeNull();
    await ahead.proven({ wallet: stage.hot, from: 1_000n, below: 1_003n });
    expect((await stage.stored(pending)).held?.code).toBe('restored');
  });
});
