/** R9: whose turn it is to be looked after, where an index does not always answer. */
import { expect, test } from 'bun:test';
import { IndexUnfit, type TonIndex } from '../../../../../src/adapters/chains/ton/index-api.ts';
import type { JettonBook } from '../../../../../src/adapters/chains/ton/read/jettons.ts';
import { accountOmissions } from '../../../../../src/adapters/chains/ton/read/omissions.ts';
import type { TonNode } from '../../../../../src/adapters/chains/ton/toncenter.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';

test('R9: accounts that no index answered for are asked for again, and then the others', async () => {
  const addresses = Array.from({ length: 60 }, (_, n) => `0:${n.toString(16).padStart(64, '0')}`);
  const asked: number[] = [];
  let away = true;
  const index: TonIndex = {
    rests: () => false,
    rest: () => undefined,
    async ask(_path, { address }, read) {
      asked.push(addresses.indexOf((address as readonly string[])[0]!));
      if (away) throw new IndexUnfit('HTTP 502');
      return read({ accounts: [] });
    },
  };
  const node: TonNode = { label: 'node 1', index, call: () => Promise.reject(new Error('is not asked')) };
  const omissions = accountOmissions({
    ...{ chain: 'ton', nativeAsset: 'ton_ton', hotWallet: 'none', logger: silentLogger },
    jettons: { usable: async () => new Map() } as unknown as JettonBook,
    pool: { size: 1, use: (work) => work(node), every: async (work) => [await work(node)], doubt: () => {} },
  });
  omissions.note([{ account: addresses[0]!, lt: 1n, hash: 'ab'.repeat(32) }], []);
  const poll = () => omissions.late(1, watching(addresses), () => Promise.reject(new Error('nothing came')));
  await poll();
  away = false;
  for (let polls = 0; polls < 3; polls++) await poll();
  expect(asked).toEqual([0, 0, 50, 0]);
});
