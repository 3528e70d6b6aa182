/** Reads the pool of addresses that the signer derived in advance, in memory. */
import { AddressesNotDerived, type AddressPool } from '../../../../src/ports/chains/address-pool.ts';
import type { MemoryStore } from '../store/memory-store.ts';

export function addressPool({ tables }: MemoryStore, family: string): AddressPool {
  return {
    read: async ({ from, count }) =>
      Array.from({ length: count }, (_, place) => {
        const derived = tables.derivedAddresses.find(family, from + place);
        if (derived !== undefined) return derived.address;
        throw new AddressesNotDerived(
          `the signer has not derived the addresses of ${family} up to index ${from + count - 1} yet`,
        );
      }),
  };
}
