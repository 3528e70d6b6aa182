/**
 * What the gate before payouts asks of the nodes of a UTXO chain: each call may be one of a plan.
 */
import { expect, test } from 'bun:test';
import { startGate } from '../../../src/app/sending/restart/start-gate.ts';
import type { SendingChain, SendingNeeds } from '../../../src/app/sending/sending-chain.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import { aHash, NOW, secondsAfter } from '../../support/builders.ts';
import { memoryLogger } from '../../support/runtime/memory-logger.ts';

/**
 * A gate of bitcoin with one payout and one coin. `coveredUntil`: the time of the newest block, at
 * each look; `lastAt` and `resumedAt`: what was noted of earlier looks. What waits is read in
 * `parts` questions. Looks are `seconds` apart, while our clock stands still.
 */
function opened(of: {
  coveredUntil: readonly Date[];
  lastAt: Date;
  resumedAt: Date | null;
  parts?: number;
  seconds?: number;
}) {
  const { coveredUntil, lastAt, resumedAt, parts = 1, seconds = 10 } = of;
  const asked = { spent: 0, waiting: 0 };
  let looks = 0;
  const repositories = {
    chains: {
      cursor: async () => ({ coveredUntil: coveredUntil[looks - 1] ?? coveredUntil.at(-1) }),
      reads: async () => ({
        ...{ count: looks, resumedAt },
        lastAt: looks === 1 ? lastAt : secondsAfter((looks - 2) * seconds, NOW),
      }),
      forgetResumed: async () => {},
    },
    payouts: { pendingOf: async () => ['payout'], pendingOfClaims: async () => [], owed: async () => [] },
    refundClaims: { countOpen: async () => 0 },
    unknown: { paidSince: async () => false },
    utxos: {
      standing: async (_: string, { after }: { after: unknown }) =>
        after === null ? [{ txid: aHash(), vout: 0 }] : [],
      uncredited: async () => [],
    },
    outgoing: { ours: async () => new Set(), unsignedForwards: async () => [] },
  } as unknown as Repositories;
  const utxos = {
    spentByWaiting: async () => {
      asked.spent += 1;
      return [false];
    },
    waitingPaying: async () => {
      asked.waiting += 1;
      if (asked.waiting < parts) throw new ChainUnavailable('bitcoin: there is more that waits');
      return [];
    },
  };
  const gate = startGate(
    {
      clock: { now: () => NOW },
      unitOfWork: { run: async (work: (all: Repositories) => unknown) => work(repositories) },
      catalog: { all: [], unlisted: [] },
      logger: memoryLogger([]),
    } as unknown as SendingNeeds,
    { chain: 'bitcoin', sender: { capabilities: {}, utxos }, deriver: {} } as unknown as SendingChain,
  );
  /** Whether a node has to be asked once more. */
  const step = async () => {
    looks += 1;
    await gate.look(repositories);
    return gate.open().catch((error: unknown) => error instanceof ChainUnavailable);
  };
  return { asked, step, keepsUtxos: gate.keepsUtxos };
}

test('K4: what spends our UTXOs is asked once, however often all that waits has to be asked for', async () => {
  const { asked, step, keepsUtxos } = opened({
    ...{ coveredUntil: [NOW], lastAt: NOW, resumedAt: NOW },
    parts: 4,
  });
  await step();
  expect([await step(), await step(), await step()]).toEqual([true, true, true]);
  expect([asked.spent, keepsUtxos()]).toEqual([1, true]);
  await step();
  await step();
  expect([asked, keepsUtxos()]).toEqual([{ spent: 1, waiting: 4 }, false]);
});

test.each([
  ['comes seconds after the last look, and ten minutes after the last block', 0, [-600, -8, -3]],
  ['names a time some seconds before the last look', 0, [-600, -8, -40]],
  ['comes half an hour after the last look', 1, [-2_400, -1_803, -3]],
  ['names a time an hour before the last look by our clock', 1, [-7_200, 3_600, -3]],
] as const)(
  'K4: at a start before a block that %s, all that waits is read %i times',
  async (_, times, at) => {
    const [last, lastAt, next] = at.map((seconds) => secondsAfter(seconds, NOW)) as [Date, Date, Date];
    const { asked, step, keepsUtxos } = opened({ coveredUntil: [last, next], lastAt, resumedAt: null });
    for (let steps = 0; steps < 4; steps += 1) await step();
    expect([asked.waiting, keepsUtxos()]).toEqual([times, false]);
  },
);

test('K4, R10: a look at the tip that another machine may have answered does not open the gate', async () => {
  const { asked, step, keepsUtxos } = opened({
    coveredUntil: [NOW],
    lastAt: NOW,
    resumedAt: NOW,
    seconds: 1,
  });
  const isKept: boolean[] = [];
  for (let steps = 0; steps < 7; steps += 1) {
    await step();
    isKept.push(keepsUtxos());
  }
  expect([asked.waiting, isKept]).toEqual([1, [true, true, true, true, true, true, false]]);
});
