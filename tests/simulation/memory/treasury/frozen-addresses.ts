/** Addresses that are not swept, in memory. */
import type {
  FreezeRepository,
  FrozenAddress,
} from '../../../../src/ports/treasury/treasury-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import type { RowIn } from '../sweeps/sweep-rows.ts';

export function freezeRepository({ tables }: MemoryStore): FreezeRepository {
  const { frozenAddresses } = tables;
  return {
    freeze: async ({ chain, address, reason, at }) =>
      frozenAddresses.insertUnlessThere({ chain, address, reason, frozenAt: at }) !== null,

    async thaw({ chain, address }) {
      const there = frozenAddresses.find(chain, address);
      if (there === undefined || there.formerWallet) return false;
      frozenAddresses.delete(there);
      return true;
    },

    isFrozen: async ({ chains, address }) =>
      chains.some((chain) => frozenAddresses.find(chain, address) !== undefined),

    async find({ chain, address }) {
      const there = frozenAddresses.find(chain, address);
      return there === undefined ? null : frozenFromRow(there);
    },

    among: async ({ chain, addresses }) =>
      new Set(addresses.filter((address) => frozenAddresses.find(chain, address) !== undefined)),
  };
}

export function frozenFromRow({ chain, address, reason, frozenAt }: RowIn<'frozenAddresses'>): FrozenAddress {
  return { chain, address, reason, at: frozenAt };
}
