/** The networks that wallets and signatures name. */
import { expect, test } from 'bun:test';
import { chainIds } from '../../../src/compose/chains/configured-networks.ts';
import { loaded } from '../../support/configurations.ts';

test('a configured chain id stands in place of the main network’s', () => {
  const chainId = chainIds(
    loaded({}, { chains: { ethereum: { rpc: ['http://127.0.0.1:1'], chain_id: 11_155_111 } } }),
  );
  expect(['ethereum', 'bsc', 'bitcoin'].map(chainId)).toEqual([11_155_111, 56, null]);
});
