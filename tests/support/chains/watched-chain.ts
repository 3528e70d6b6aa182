/** A UTXO chain of ten empty blocks that is watched, each under a name of its own. */
import { chainWatcher } from '../../../src/app/watching/watch-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { ChainScanner } from '../../../src/ports/chains/chain-scanner.ts';
import { anId, NOW } from '../builders.ts';
import type { TestService } from '../test-service.ts';
import { watchingNobody } from './watch-list.ts';

/** One second after the one before. */
export const blockAt = (height: number) => ({
  ...{ height, hash: `a${height}`, parentHash: `a${height - 1}` },
  time: NOW.getTime() / 1000 + height,
});

export const emptyBlocks = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => ({ ...blockAt(from + n), transfers: [] }));

export async function openWatched(it: TestService, changes: Partial<ChainScanner>) {
  const chain = { ...chainNamed('bitcoin'), name: `chain-${anId()}` };
  let tip = 10;
  const scanner: ChainScanner = {
    ...{ chain: chain.name, maxRange: 16 },
    head: async () => ({ tip: blockAt(tip), finalizedHeight: tip - 1 }),
    blockAt: async (height) => (height > tip ? null : blockAt(height)),
    blocks: async ({ from, to }) => emptyBlocks(from, to),
    pending: async () => [],
    lookup: async () => ({ state: 'pending' }),
    confirmWithNodes: async () => ({ kind: 'agreed', disputed: [] }),
    unscannedAssets: async () => [],
    close: async () => undefined,
    ...changes,
  };
  const { dependencies: deps } = it.service;
  /** Another process that watches the chain. */
  const again = (needs: typeof deps, changed: Partial<ChainScanner> = {}) =>
    chainWatcher(needs, {
      ...{ chain, watch: watchingNobody, startHeight: 5, hotWallet: null },
      scanner: { ...scanner, ...changed },
    });
  const watcher = again(deps);
  await watcher.begin();
  return {
    ...{ chain: chain.name, deps, watcher, again },
    mine(height: number) {
      tip = height;
    },
    cursor: async () => (await deps.unitOfWork.run((r) => r.chains.cursor(chain.name)))!,
  };
}
