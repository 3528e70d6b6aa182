/** How often a chain is looked at, where nothing is configured. */
import { expect, test } from 'bun:test';
import { pollMsOf } from '../../../src/compose/chains/configured-poll-ms.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';

const hosted = { maxRps: 15 };

test('UTXO chains are looked at less often where every look costs a call of a plan', () => {
  const poll = (chain: string, rpc: readonly object[], electrum: readonly never[] = []) =>
    pollMsOf(chainNamed(chain), { rpc, electrum, pollMs: null });
  expect(poll('bitcoin', [{}])).toBe(10_000);
  expect(poll('bitcoin', [hosted, {}])).toBe(10_000);
  expect(poll('bitcoin', [hosted, { pricePerMillionCalls: '10' }])).toBe(40_000);
  expect(poll('bitcoin', [])).toBe(10_000);
  expect(poll('ethereum', [hosted])).toBe(chainNamed('ethereum').pollMs);
  expect(pollMsOf(chainNamed('bitcoin'), { rpc: [hosted], electrum: [], pollMs: 700 })).toBe(700);
  expect(pollMsOf(chainNamed('bitcoin'), { rpc: [], electrum: [hosted as never], pollMs: null })).toBe(4_000);
});
