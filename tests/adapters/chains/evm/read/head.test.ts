/** How often EVM nodes are asked what is final. */
import { expect, test } from 'bun:test';
import { headReader } from '../../../../../src/adapters/chains/evm/head.ts';
import type { RpcNode } from '../../../../../src/adapters/chains/shared/nodes/rpc-node.ts';

const EPOCH_SECONDS = 384;
const GENESIS = 1_000;

/**
 * A chain that is looked at every 12 seconds for an hour: how often its node was asked what is
 * final, and for how long it was at most that the answer was out of date. `finalAt`: the height
 * that is final at a height of the tip; block times are 12 seconds.
 */
async function anHour(chain: string, finalAt: (tip: number) => number) {
  let [tip, asked, late, lateMost] = [1_000, 0, 0, 0];
  const block = (height: number) => ({
    ...{ number: `0x${height.toString(16)}`, timestamp: `0x${(GENESIS + 12 * height).toString(16)}` },
    ...{ hash: `0x${height.toString(16).padStart(64, '0')}`, parentHash: `0x${'0'.repeat(64)}` },
  });
  const node = {
    label: 'node 1',
    call: async () => block(tip),
    outcomes: async () => {
      asked += 1;
      return [{ result: block(finalAt(tip)) }];
    },
  } as unknown as RpcNode;
  const readHead = headReader({
    ...{ chain, finality: { confirmations: null } },
    time: { now: () => tip * 12_000 },
  });
  for (; tip < 1_300; tip++) {
    const { finalizedHeight } = await readHead(node);
    late = finalizedHeight < finalAt(tip) ? late + 12 : 0;
    lateMost = Math.max(lateMost, late);
  }
  return { asked, lateMost };
}

/** Ethereum's: the block with which the epoch before the last whole one began. */
const byEpoch = (tip: number): number => (Math.floor((12 * tip) / EPOCH_SECONDS) - 2) * (EPOCH_SECONDS / 12);

test('Ethereum is asked what is final once an epoch, when a later block can be', async () => {
  expect(await anHour('ethereum', byEpoch)).toEqual({ asked: 10, lateMost: 0 });
});

test('Ethereum is asked each minute while its epochs do not become final, and test networks that have none are', async () => {
  const late = await anHour('ethereum', (tip) => byEpoch(tip) - 32);
  expect(late.asked).toBe(60);
  expect((await anHour('ethereum', (tip) => tip - 1)).asked).toBe(60);
});

test('rollups are asked each minute, and chains that are final in seconds at each block', async () => {
  for (const chain of ['arbitrum', 'base', 'optimism'])
    expect(await anHour(chain, byEpoch)).toMatchObject({ asked: 60, lateMost: 48 });
  expect(await anHour('bsc', (tip) => tip - 2)).toEqual({ asked: 300, lateMost: 0 });
});
