/** What the gate before payouts asks of the nodes of a chain of coins: each call may be one of a plan. */
import { expect, test } from 'bun:test';
import type { SendingChain, SendingNeeds } from '../../src/app/sending.ts';
import { startGate } from '../../src/app/start-gate.ts';
import { ChainUnavailable } from '../../src/ports/chain-scanner.ts';
import type { Repositories } from '../../src/ports/repositories.ts';
import { aHash, NOW } from '../support/builders.ts';
import { memoryLogger } from '../support/memory-logger.ts';

test('K4: what spends our coins is asked once, however often all that waits has to be asked for', async () => {
  const coin = { txid: aHash(), vout: 0 };
  let [asked, rounds, reads] = [0, 0, 1];
  const repositories = {
    chains: {
      cursor: async () => ({ coveredUntil: NOW }),
      reads: async () => ({ count: reads, lastAt: NOW, resumedAt: NOW }),
      forgetResumed: async () => {},
    },
    payouts: { pendingOf: async () => ['payout'], owed: async () => [] },
    unknown: { paidSince: async () => false },
    coins: {
      standing: async (_: string, { after }: { after: unknown }) => (after === null ? [coin] : []),
      uncredited: async () => [],
    },
    outgoing: { ours: async () => new Set() },
  } as unknown as Repositories;
  const coins = {
    spentByWaiting: async () => {
      asked += 1;
      return [false];
    },
    waitingPaying: async () => {
      rounds += 1;
      if (rounds < 4) throw new ChainUnavailable('bitcoin: there is more that waits');
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
    { chain: 'bitcoin', sender: { ways: {}, coins }, deriver: {} } as unknown as SendingChain,
  );
  const step = async () => {
    await gate.look(repositories);
    reads += 1;
    return gate.open().catch((error: unknown) => error instanceof ChainUnavailable);
  };
  await step();
  expect([await step(), await step(), await step()]).toEqual([true, true, true]);
  expect([asked, gate.keepsCoins()]).toEqual([1, true]);
  await step();
  await step();
  expect([asked, rounds, gate.keepsCoins()]).toEqual([1, 4, false]);
});
