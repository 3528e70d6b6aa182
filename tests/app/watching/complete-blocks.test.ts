/** What blocks leave for later is recorded before any invoice ends whose time lies in them. */
import { expect, test } from 'bun:test';
import { chainWatcher } from '../../../src/app/watching/watch-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { ChainScanner, ReadRange, ScannedBlock } from '../../../src/ports/chains/chain-scanner.ts';
import { watchingNobody } from '../../support/chains/watch-list.ts';
import { memoryRecords } from '../../support/providers/memory-records.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';

const PAYMENT = {
  ...{ txid: '0x7', output: 'call:0', asset: 'eth_ethereum', to: '0xa', from: null, units: 5n },
  kind: 'payment' as const,
};

/** A chain, one block a second, on which the blocks from 12 on may be other ones. */
function stage() {
  let [tip, branch] = [10, 'a'];
  const asked: string[] = [];
  const is: { completing: boolean; left: readonly ScannedBlock[] } = { completing: false, left: [] };
  const block = (height: number): ScannedBlock => ({
    ...{ height, hash: `${height < 12 ? 'a' : branch}${height}`, time: height, transfers: [] },
    parentHash: `${height < 13 ? 'a' : branch}${height - 1}`,
  });
  const scanner: ChainScanner = {
    ...{ chain: 'ethereum', maxRange: 16 },
    head: async () => ({ tip: block(tip), finalizedHeight: 4 }),
    blockAt: async (height) => block(height),
    blocks: async ({ from, to }) => Array.from({ length: to - from + 1 }, (_, n) => block(from + n)),
    complete: async ({ from, last, seconds }: ReadRange, _, take) => {
      asked.push(`${from}-${last.hash} ${seconds}s`);
      if (is.completing) await take(is.left);
      return is.completing;
    },
    pending: async () => [],
    lookup: async () => ({ state: 'unknown' }),
    confirmWithNodes: async () => ({ kind: 'not_final' }),
    unscannedAssets: async () => [],
    close: async () => undefined,
  };
  const records = memoryRecords({ clock: { now: () => new Date(20_000) }, logger: silentLogger });
  const chain = chainNamed('ethereum');
  const watcher = chainWatcher(records.needs, {
    ...{ chain, scanner, watch: watchingNobody, startHeight: 5, hotWallet: null },
  });
  return {
    ...{ asked, is, block, records },
    reorganise: () => {
      branch = 'b';
    },
    /** Seconds up to which all payments were seen, then. */
    async poll(height: number): Promise<number> {
      tip = height;
      await watcher.poll();
      return records.cursor()!.coveredUntil.getTime() / 1_000;
    },
  };
}

test('E6: covers blocks as soon as nothing of them is left for later, whoever read them', async () => {
  const { poll, asked, is } = stage();
  expect([await poll(9), await poll(10)]).toEqual([4, 4]);
  is.completing = true;
  expect([await poll(10), await poll(10), await poll(14)]).toEqual([10, 10, 14]);
  expect(asked).toEqual(['5-a9 5s', '5-a10 6s', '5-a10 6s', '11-a14 4s']);
});

test('E6: covers blocks anew that follow on a reorganisation', async () => {
  const { poll, asked, is, reorganise } = stage();
  is.completing = true;
  expect(await poll(14)).toBe(14);
  is.completing = false;
  reorganise();
  expect([await poll(15), await poll(15)]).toEqual([11, 11]);
  expect(asked.slice(1)).toEqual(['12-b15 4s']);
});

test('E6: records what was left of the blocks in its own block', async () => {
  const { poll, is, block, records } = stage();
  is.completing = true;
  is.left = [{ ...block(7), transfers: [PAYMENT] }];
  expect(await poll(10)).toBe(10);
  expect(records.deposits).toMatchObject([{ txid: '0x7', block: { height: 7, hash: 'a7' } }]);
});
