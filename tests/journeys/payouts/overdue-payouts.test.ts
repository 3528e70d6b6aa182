/**
 * G3: how long a payout that no block takes is waited for, when what it offers is raised meanwhile.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';

const SECONDS = 120;
const AN_HOUR = 3_600 / SECONDS;

describe.skipIf(!needs('postgres', postgresAvailable()))('a payout that no block takes', () => {
  let stage: PayoutStage;
  beforeAll(async () => {
    stage = await openPayoutStage();
  });
  afterAll(() => stage.close());

  test('G3: is waited for anew once fees rose and it was replaced: two hours count from what it offers now', async () => {
    const lines: LogLine[] = [];
    const sender = transferSender(
      { ...stage.deps, logger: memoryLogger(lines) },
      stage.on,
      UNLIMITED_PAYOUTS,
      OPEN_GATE,
    );
    const chain = stage.journey.chain();
    const steps = async (count: number) => {
      for (let step = 0; step < count; step += 1) {
        stage.journey.clock.advance(SECONDS);
        chain.mine(2);
        await stage.journey.it.service.watchers.get('ethereum')?.poll();
        await sender.step();
      }
    };
    const givenUp = () => lines.some(({ event }) => event === 'transfer.given_up');
    const id = await stage.order();
    await sender.step();
    const { outcome } = stage.on.sender;
    stage.over.sender = { broadcast: async () => ({ kind: 'accepted' }), outcome };
    for (const { txid } of await stage.signedOf(id)) chain.drop(txid);
    await steps(1.5 * AN_HOUR);
    const offered = (await stage.signedOf(id)).length;
    chain.setFeeLevel(300);
    await steps(AN_HOUR);
    expect((await stage.signedOf(id)).length).toBeGreaterThan(offered);
    expect(givenUp()).toBe(false);
    await steps(1.5 * AN_HOUR);
    expect(givenUp()).toBe(true);
  });
});
