/**
 * What was given up must not be handed to the network again by ourselves: where transactions
 * expire, silence is what voids it.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { giveUpSweep } from '../../../src/app/sweeps/give-up-sweep.ts';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import type { LogEvent } from '../../../src/ports/runtime/log-events.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('on the fake Tron', () => {
  let stage: PayoutStage;
  beforeEach(async () => {
    stage = await openPayoutStage({ at: { chain: 'tron', native: 'trx_tron' } });
    for (const asset of ['usdt_tron', 'trx_tron'])
      expect((await bookCapital(stage.deps, stage.on)({ asset, note: 'test', dryRun: false })).ok).toBe(true);
  });
  afterEach(() => stage.close());

  test('gas for a sweep that no node had when the operator gave it up does not leave the hot wallet after that', async () => {
    const { journey, deps, on, step } = stage;
    await requestSweeps(deps, on, { asset: null, address: null });
    // Signed, and no node was reached: the operator looks at the address meanwhile, and does not
    // want it to get anything.
    journey.chain().spoilBroadcasts('refuse');
    await journey.it.run('sweep:tron');
    await step();
    const [topup] = (await stage.open()).filter(({ purpose }) => purpose === 'topup');
    expect(topup?.status).toBe('signed');
    const [signed] = await deps.unitOfWork.run((r) => r.outgoing.signedOf([topup!.transferBatchId]));
    expect(signed?.broadcastAt).toBeNull();
    expect((await giveUpSweep(deps)(topup!.id)).ok).toBe(true);
    journey.chain().spoilBroadcasts(null);
    await step();
    journey.chain().mine(2);
    expect(journey.chain().balanceOf(topup!.to, 'trx_tron')).toBe(0n);
  });

  test('a payout that no node has for hours, and that is not dead either, alarms the operators, and says so in their list', async () => {
    const { journey, over, deps, on } = stage;
    const lines: LogEvent[] = [];
    const logger = { ...deps.logger, error: (event: LogEvent) => void lines.push(event) };
    const sender = transferSender({ ...deps, logger }, on, UNLIMITED_PAYOUTS, OPEN_GATE);
    journey.chain().spoilBroadcasts('refuse');
    const id = await stage.order();
    await sender.step();
    over.sender.outcome = async () => ({ kind: 'unseen' });
    await sender.step();
    expect({ lines, waiting: (await stage.stored(id)).waiting }).toEqual({ lines: [], waiting: null });
    journey.clock.advance(3 * 3_600);
    for (let steps = 0; steps < 3; steps += 1) await sender.step();
    expect(lines).toEqual(['transfer.unseen']);
    const [signed] = await stage.signedOf(id);
    expect((await stage.stored(id)).waiting).toMatchObject({
      code: 'signing',
      reason: expect.stringContaining(signed!.txid),
    });
    journey.clock.advance(3 * 3_600);
    await sender.step();
    expect(lines).toHaveLength(2);
  });
});
