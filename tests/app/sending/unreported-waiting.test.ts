/**
 * What is asked for payments that wait while no source tells what waits: each may be a call of a
 * plan.
 */
import { expect, test } from 'bun:test';
import { depositFollower } from '../../../src/app/deposits/follow-deposits.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { ChainScanner } from '../../../src/ports/chains/chain-scanner.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import { aDeposit, NOW } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { watchingNobody } from '../../support/chains/watch-list.ts';
import { memoryLogger } from '../../support/runtime/memory-logger.ts';

test('some of them are asked for at each poll, and each in its turn', async () => {
  const waiting = Array.from({ length: 120 }, () => aDeposit({ txid: aTxid(), block: null }));
  let asked: string[] = [];
  const repositories = { deposits: { withoutBlock: async () => waiting } } as unknown as Repositories;
  const follower = depositFollower(
    {
      logger: memoryLogger([]),
      unitOfWork: { run: async (work: (all: Repositories) => unknown) => work(repositories) },
    } as unknown as Parameters<typeof depositFollower>[0],
    {
      chain: chainNamed('bitcoin'),
      scanner: {
        lookup: async (txid: string) => {
          asked.push(txid);
          return { state: 'pending' };
        },
      } as unknown as ChainScanner,
      watch: watchingNobody,
    },
  );
  const cursor = { height: 9, hash: 'a9', finalizedHeight: 8, coveredUntil: NOW };
  const turns: string[][] = [];
  for (let poll = 1; poll <= 3; poll++) {
    asked = [];
    await follower.resolveOrphans(cursor, null);
    turns.push(asked);
  }
  expect(turns.map(({ length }) => length)).toEqual([50, 50, 50]);
  expect(new Set(turns.flat()).size).toBe(120);
  asked = [];
  await follower.resolveOrphans(cursor, []);
  expect(asked.length).toBe(120);
});
