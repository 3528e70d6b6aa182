/** Batches that wait while nodes are slow, or cannot tell what became of some of them. */
import { afterEach, describe, expect, test } from 'bun:test';
import { stopSigning } from '../../../src/app/sending/operate-payouts.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until } from '../../support/runtime/poll.ts';

/** How many batches ask nodes at the same time (send-transfers.ts). */
const SLOTS = 16;

describe.skipIf(!needs('postgres', postgresAvailable()))('while nodes are slow', () => {
  let stage: PayoutStage;
  afterEach(() => stage.close());

  /** A stage with payouts that are signed, and whose bytes no node has. */
  async function openSignedOnly(count: number): Promise<void> {
    stage = await openPayoutStage();
    for (let nth = 0; nth < count; nth += 1) await stage.order();
    stage.over.sender = { broadcast: async () => ({ kind: 'refused', reason: 'not now' }) };
    await stage.step();
    const open = await stage.open();
    expect(open.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'signed'));
  }

  test('what waits for a slot when an operator stops signing is not broadcast', async () => {
    await openSignedOnly(SLOTS + 1);
    const released = Promise.withResolvers<void>();
    const broadcast: string[] = [];
    let asked = 0;
    stage.over.sender = {
      async outcome({ nonce }) {
        asked += 1;
        // The first goes on to its broadcast, and the last takes its slot meanwhile.
        if (nonce > 0n) await released.promise;
        return { kind: 'unseen' };
      },
      async broadcast(raw) {
        broadcast.push(raw);
        return { kind: 'accepted' };
      },
    };
    const step = stage.step();
    await until('the last of them is asked for', 10_000, () => asked > SLOTS);
    // Time for questions to the database, which are answered before the operator acts.
    await Bun.sleep(200);
    await stopSigning(stage.deps)('an incident');
    released.resolve();
    await step;
    expect(broadcast).toEqual([]);
  });

  test('batches of which no node can ever tell keep none of the others waiting', async () => {
    await openSignedOnly(2 * SLOTS + 1);
    const told = new Set<bigint>([BigInt(SLOTS), BigInt(2 * SLOTS)]);
    const asked = new Set<bigint>();
    stage.over.sender = {
      async outcome({ nonce }) {
        asked.add(nonce);
        if (!told.has(nonce)) throw new ChainUnavailable('no node could tell');
        return { kind: 'unseen' };
      },
    };
    const looks = async (): Promise<readonly bigint[]> => {
      asked.clear();
      await expect(stage.step()).rejects.toBeInstanceOf(ChainUnavailable);
      return [...asked].toSorted((a, b) => Number(a - b));
    };
    const from = (first: number, count: number) =>
      Array.from({ length: count }, (_, nth) => BigInt(first + nth));
    expect(await looks()).toEqual(from(0, SLOTS));
    // Those that were not asked for come first, and what can be told goes on.
    expect(await looks()).toEqual([0n, ...from(SLOTS, SLOTS + 1)]);
    const ids = (await stage.open()).map(({ transferBatchId }) => transferBatchId);
    const signed = await stage.deps.unitOfWork.run(({ outgoing }) => outgoing.signedOf(ids));
    expect(signed.filter(({ broadcastAt }) => broadcastAt !== null)).toHaveLength(told.size);
    // Each has its turn again.
    expect(await looks()).toEqual([...from(0, SLOTS), ...told].toSorted((a, b) => Number(a - b)));
  });

  test('batches that no node can ever prepare keep none of the others waiting', async () => {
    stage = await openPayoutStage({ at: { chain: 'tron', native: 'trx_tron' } });
    for (let nth = 0; nth <= SLOTS; nth += 1) await stage.order();
    const { prepare } = stage.on.sender;
    stage.over.sender = {
      prepare(order, replaces) {
        if (order.nonce < SLOTS) throw new ChainUnavailable('no node could tell');
        return prepare(order, replaces);
      },
    };
    for (let steps = 0; steps < 2; steps += 1)
      await expect(stage.step()).rejects.toBeInstanceOf(ChainUnavailable);
    const signed = (await stage.open()).filter(({ status }) => status !== 'allocated');
    expect(signed.map(({ nonce }) => nonce)).toEqual([BigInt(SLOTS)]);
  });
});
