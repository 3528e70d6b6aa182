/** Permanent addresses in memory: at most one active per (merchant, environment, user, family). */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import type { PermanentAddressRepository } from '../../../../src/ports/invoices/permanent-address-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { storedJson } from '../store/texts.ts';

export function permanentAddressRepository({ tables }: MemoryStore): PermanentAddressRepository {
  const { permanentAddresses } = tables;
  const find = async (id: string) => permanentAddresses.find(id) ?? null;
  return {
    insertIfAbsent: async (address) =>
      permanentAddresses.insertUnlessThere(
        { ...address, metadata: address.metadata && storedJson(address.metadata) },
        'permanent_addresses_one_active',
      ) !== null,
    findActive: async ({ merchantId, sandbox, userId, family }) =>
      permanentAddresses
        .by('userId', userId)
        .find(
          (address) =>
            address.active &&
            address.merchantId === merchantId &&
            address.sandbox === sandbox &&
            address.family === family,
        ) ?? null,
    find,
    findAll: async (ids) => ids.flatMap((id) => permanentAddresses.find(id) ?? []),
    lock: find,
    async save({ id, active, deactivatedAt, metadata, notifyUrl }) {
      const there = permanentAddresses.find(id);
      permanentAddresses.update(theOnly(there ? [there] : [], `save of permanent address ${id}`), {
        active,
        deactivatedAt,
        metadata: metadata && storedJson(metadata),
        notifyUrl,
      });
    },
  };
}
