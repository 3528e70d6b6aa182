/** The directory of issued addresses in memory, and their derivation indexes. */
import type { AddressRepository, IssuedAddress } from '../../../../src/ports/invoices/address-repository.ts';
import type { MemoryStore, Tables } from '../store/memory-store.ts';

type StoredAddress = NonNullable<ReturnType<Tables['addresses']['find']>>;

export function addressRepository({ tables }: MemoryStore): AddressRepository {
  const { addresses, derivationIndexes, derivedAddresses, utxos } = tables;
  return {
    async insert(issued) {
      addresses.insert(issued);
    },

    async retire({ invoiceId, family }) {
      const all = addresses.by('invoiceId', invoiceId).filter((address) => address.family === family);
      const last = Math.max(...all.map(({ retired }) => retired));
      for (const address of all) if (address.retired === 0) addresses.update(address, { retired: last + 1 });
    },

    async find(family, wanted) {
      const found: IssuedAddress[] = [];
      for (const address of new Set(wanted)) {
        const row = addresses.find(family, address);
        if (row !== undefined) found.push(issuedOf(row));
      }
      return found;
    },

    isOurs: async (family, address) =>
      addresses.find(family, address) !== undefined ||
      utxos.by('address', address).some(({ keyRole }) => keyRole === 'change'),

    async reserveIndexes({ deriver, count, atLeast }) {
      const { next } = derivationIndexes.insertOrUpdate({ deriver, next: atLeast + count }, (there) => ({
        next: Math.max(there.next, atLeast) + count,
      }));
      return next - count;
    },

    reservedIndexes: async (deriver) => derivationIndexes.find(deriver)?.next ?? 0,

    allReservedIndexes: async () =>
      new Map([...derivationIndexes.all()].map(({ deriver, next }) => [deriver, next])),

    async issuedIndexes() {
      const next = new Map<string, number>();
      for (const { deriver, derivationIndex } of addresses.all())
        next.set(deriver, Math.max(next.get(deriver) ?? 0, derivationIndex + 1));
      return next;
    },

    async derivedIndexes(family) {
      let next = 0;
      for (const { derivationIndex } of derivedAddresses.by('family', family))
        if (derivationIndex >= next) next = derivationIndex + 1;
      return next;
    },

    async addDerived({ family, from, addresses: added }) {
      for (const [place, address] of added.entries())
        derivedAddresses.insertUnlessThere(
          { family, derivationIndex: from + place, address },
          'derived_addresses_family_derivation_index_pk',
        );
    },
  };
}

function issuedOf(row: StoredAddress): IssuedAddress {
  const { retired: _, ...issued } = row;
  return issued;
}
