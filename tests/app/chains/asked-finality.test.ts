/** What is final is not asked with every block, but whenever somebody waits for it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import { chainWatcher } from '../../../src/app/watching/watch-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { aDeposit, anId } from '../../support/builders.ts';
import { watchingNobody } from '../../support/chains/watch-list.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { testClock } from '../../support/runtime/test-clock.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('what is final of a chain', () => {
  let it: TestService;
  const clock = testClock();
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' }, overrides: { clock } });
  });
  afterAll(() => it.stop());

  /** A watcher of a chain of its own, and what it asked. */
  function watched() {
    const { dependencies: deps } = it.service;
    const chain = { ...chainNamed('ethereum'), name: `chain-${anId()}` };
    const { scanner } = fakeChain({
      ...{ chain: chain.name, family: 'evm', confirmations: 3, clock },
      assets: [{ asset: 'eth_ethereum', decimals: 18 }],
    });
    const asked: (boolean | undefined)[] = [];
    const watcher = chainWatcher(deps, {
      ...{ chain, watch: watchingNobody, startHeight: null, hotWallet: null },
      scanner: {
        ...scanner,
        head(what) {
          asked.push(what?.finality);
          return scanner.head(what);
        },
      },
    });
    return { chain: chain.name, watcher, asked, deps };
  }

  test('is asked while a payment waits for it, and else once a minute', async () => {
    const { chain, watcher, asked, deps } = watched();
    for (const seconds of [0, 6, 53, 1]) {
      clock.advance(seconds);
      await watcher.poll();
    }
    expect(asked).toEqual([true, false, false, true]);
    const { id: merchantId } = await it.merchant({});
    const waits = aDeposit({ merchantId, chain, block: { height: 2 ** 40, hash: 'far' } });
    await deps.unitOfWork.run((r) => r.deposits.insertAll([waits]));
    await watcher.poll();
    expect(asked.at(-1)).toBe(true);
  });

  test('is asked while a transfer of ours waits for it', async () => {
    const { chain, watcher, asked, deps } = watched();
    await watcher.poll();
    await watcher.poll();
    await deps.unitOfWork.run((r) => r.outgoing.insert(anOutgoing({ chain })));
    await watcher.poll();
    expect(asked).toEqual([true, false, true]);
  });
});
