/** Places in a wallet's sequence, as an older database gives them, that were handed on since (safety.md K4). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SendingRefused } from '../../src/ports/chain-sender.ts';
import { type DatabaseBackup, databaseBackup } from '../support/database-backup.ts';
import { needs } from '../support/needs.ts';
import { openPayoutStage, type PayoutStage } from '../support/payout-stage.ts';
import { postgresAvailable } from '../support/postgres.ts';

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

  test('K4: one that was paid under a lower sequence than it has there is not signed before the chain was read', async () => {
    const { refuse } = stage.journey.chain();
    // Of two, neither is signed while fees are high; the first one fails, and the second takes its place.
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
    const { address } = await stage.stored(first);
    refuse(address, true);
    await mineOn();
    expect((await stage.stored(second)).status).toBe('success');
    refuse(address, false);

    await kept.putBack();
    await stage.step();
    await mineOn();
    const payouts = await Promise.all([first, second].map(stage.stored));
    const received = payouts.map(({ address: to }) => stage.journey.chain().received(to).length);
    expect(received).toEqual([0, 1]);
    expect(payouts.map(({ held }) => held?.code)).toEqual(['restored', 'restored']);
  });
});
