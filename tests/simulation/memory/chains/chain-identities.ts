/** The networks and chains that the storage in memory was used with (safety.md K3). */
import type {
  ChainRecords,
  NotedChain,
  UnnotedChain,
} from '../../../../src/adapters/postgres/chains/chain-identities.ts';
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { FAKE_NETWORK } from '../../../../src/domain/chains/chain-network.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { forgetChain } from './forget-chain.ts';

export function chainRecords(store: MemoryStore): ChainRecords {
  const { chainIdentities } = store.tables;
  return {
    note: (chains, at, judge) =>
      store.transaction(async () => {
        const unnoted = unnotedChains(store);
        for (const { chain, network } of chains)
          chainIdentities.insertUnlessThere({ chain, network, notedAt: at });
        judge(notedChains(store), unnoted);
      }),

    all: async () => notedChains(store),
    forget: (chain) => store.transaction(async () => forgetChain(store, chain)),

    noteGenesis: (chain, genesis) =>
      store.write(() => {
        const row = chainIdentities.find(chain);
        const there = theOnly(row ? [row] : [], `the network of ${chain}`);
        if (there.genesis !== null) return there.genesis;
        check('chain_identities_genesis', there.network !== FAKE_NETWORK);
        chainIdentities.update(there, { genesis });
        return genesis;
      }),
  };
}

function notedChains({ tables }: MemoryStore): readonly NotedChain[] {
  return [...tables.chainIdentities.all()]
    .map(({ chain, network, genesis }) => ({ chain, network, genesis }))
    .sort((a, b) => byText(a.chain, b.chain));
}

/** With the oldest remembered block of each. */
function unnotedChains({ tables }: MemoryStore): readonly UnnotedChain[] {
  const oldest = new Map<string, UnnotedChain>();
  for (const { chain, height, hash } of tables.chainBlocks.all()) {
    if (tables.chainIdentities.find(chain) !== undefined) continue;
    if (height < (oldest.get(chain)?.height ?? Infinity)) oldest.set(chain, { chain, height, hash });
  }
  return [...oldest.values()].sort((a, b) => byText(a.chain, b.chain));
}
