/** Which chains may share a database. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FAKE_NETWORK, networkConflicts } from '../../../src/domain/chains/chain-network.ts';

const on = (network: string | null, ...chains: string[]) => chains.map((chain) => ({ chain, network }));
const found = (network: string, ...chains: string[]) => chains.map((chain) => ({ chain, network }));

describe('the networks of a database', () => {
  test('K3: chains that are new to it join those that are there', () => {
    const noted = [...on('main', 'bitcoin'), ...on('eip155:1', 'ethereum')];
    expect(networkConflicts(noted, [...found('main', 'bitcoin', 'tron')])).toEqual([]);
    expect(networkConflicts([], found('test', 'xrp'))).toEqual([]);
    expect(networkConflicts(noted, [])).toEqual([]);
  });

  test('K3: a chain of another network is told with both', () => {
    expect(networkConflicts(on('eip155:31337', 'ethereum'), found('eip155:1', 'ethereum', 'base'))).toEqual([
      { chain: 'ethereum', noted: 'eip155:31337', found: 'eip155:1' },
    ]);
  });

  test('K3: fake and real chains never share one, whichever chains they are', () => {
    expect(networkConflicts(on(FAKE_NETWORK, 'tron'), found('main', 'bitcoin'))).toEqual([
      { chain: 'tron', noted: FAKE_NETWORK, found: 'main' },
    ]);
    expect(networkConflicts(on('main', 'bitcoin'), found(FAKE_NETWORK, 'tron'))).toHaveLength(1);
  });

  test('K3: of a chain that an earlier version read only that it is real is known', () => {
    expect(networkConflicts(on(null, 'bitcoin'), found('test', 'bitcoin'))).toEqual([]);
    expect(networkConflicts(on(null, 'bitcoin'), found(FAKE_NETWORK, 'bitcoin'))).toHaveLength(1);
  });

  test('K3: what a start noted, the same start may use again', () => {
    const networks = fc.uniqueArray(
      fc.record({ chain: fc.string(), network: fc.constantFrom('main', 'test', 'eip155:1') }),
      { selector: ({ chain }) => chain },
    );
    fc.assert(fc.property(networks, (chains) => networkConflicts(chains, chains).length === 0));
  });
});
