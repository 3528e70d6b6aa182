/**
 * A worker that looked long ago: what it finds on the chain may be what another worker signed since
 * (safety.md, "Paid once").
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { batchAdvancer } from '../../../src/app/sending/advance-batch.ts';
import { slots } from '../../../src/app/shared/slots.ts';
import {
  batchesOf,
  type SignedTransaction,
  type TransferBatch,
} from '../../../src/domain/sending/outgoing.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a worker that is late', () => {
  let stage: PayoutStage;
  beforeAll(async () => {
    stage = await openPayoutStage();
  });
  afterAll(() => stage.close());

  /** The batch of the payout, which is the only open one. */
  async function batchOf(payoutId: string): Promise<TransferBatch> {
    const [batch, ...others] = batchesOf(await stage.open());
    if (batch?.[0].referenceId !== payoutId || others.length > 0) throw new Error('another batch is open');
    return batch;
  }
  const goOn = (batch: TransferBatch, signed: readonly SignedTransaction[]) =>
    batchAdvancer(stage.deps, stage.on, slots(1)).advance(batch, signed, {
      stopped: false,
      first: true,
      turn: null,
    });
  async function isPaidOnce(payoutId: string): Promise<void> {
    expect((await stage.stored(payoutId)).status).toBe('processing');
    await stage.journey.mineToFinality();
    await stage.journey.it.settle();
    const { status, address, sentUnits } = await stage.stored(payoutId);
    const received = stage.journey.chain().received(address);
    expect({ status, received: received.map(({ units }) => units) }).toEqual({
      status: 'success',
      received: [sentUnits],
    });
    await stage.journey.booksAreRight();
  }

  test('does not take for somebody else’s what another worker signed, sent and saw mined meanwhile', async () => {
    const id = await stage.order();
    stage.over.sender = {
      prepare: () => Promise.reject(new ChainUnavailable('the node is away')),
    };
    await expect(stage.step()).rejects.toBeInstanceOf(ChainUnavailable);
    const seen = await batchOf(id);
    expect(seen[0].status).toBe('allocated');
    stage.over.sender = {};
    await stage.step();
    stage.journey.chain().mine(12);
    await goOn(seen, []);
    await isPaidOnce(id);
  });

  test('does not take for somebody else’s the replacement that another worker signed meanwhile', async () => {
    const id = await stage.order();
    await stage.step();
    const [seen, signed] = [await batchOf(id), await stage.signedOf(id)];
    expect(signed).toHaveLength(1);
    stage.journey.chain().setFeeLevel(1_000);
    await stage.deps.unitOfWork.run((r) => r.outgoing.save({ ...seen[0], feeBumpRequested: true }));
    await stage.step();
    expect(await stage.signedOf(id)).toHaveLength(2);
    stage.journey.chain().mine(12);
    await goOn(seen, signed);
    await isPaidOnce(id);
  });
});
