/** What operators want forwarded now, in memory. */
import type { ForwardRequestRepository } from '../../../../src/ports/treasury/treasury-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

export function forwardRequestRepository({ tables }: MemoryStore): ForwardRequestRepository {
  const { forwardRequests } = tables;
  return {
    async insert({ chain, asset, at }) {
      forwardRequests.insertUnlessThere({ asset, chain, at });
    },
    ofChain: async (chain) => forwardRequests.by('chain', chain).sort((a, b) => byText(a.asset, b.asset)),
    async remove(asset) {
      const request = forwardRequests.find(asset);
      if (request !== undefined) forwardRequests.delete(request);
    },
  };
}
