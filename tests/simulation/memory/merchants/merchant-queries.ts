/** Reads of merchants, their keys and their branding in memory: a part of Queries. */
import { environmentOf } from '../../../../src/adapters/postgres/merchants/merchants.ts';
import type { Queries } from '../../../../src/ports/list-queries.ts';
import type { LastNumber, MerchantQueries } from '../../../../src/ports/merchants/merchant-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { livesAfter, olderKey } from './keys.ts';

export function merchantQueries({ tables }: MemoryStore): MerchantQueries {
  return {
    merchantById: async (id) => tables.merchants.find(id) ?? null,

    async lastNumbers(merchantIds) {
      const numbers: LastNumber[] = [];
      const wanted = new Set(merchantIds);
      for (const { merchantId, sandbox, stream, value: seq } of tables.counters.all())
        if (wanted.has(merchantId) && (stream === 'events' || stream === 'invoices'))
          numbers.push({ merchantId, sandbox, seq, stream });
      return numbers;
    },
  };
}

export function identityQueries(store: MemoryStore): Pick<Queries, 'identity' | 'keyHashes'> {
  const { apiKeys, merchants } = store.tables;
  return {
    async identity(lookupHash, now) {
      const key = apiKeys.find(lookupHash);
      if (key === undefined || (key.revokedAt !== null && !livesAfter(key, now))) return null;
      const firstUse =
        key.revokedAt === null && key.firstUsedAt === null && olderKey(store, key) !== undefined;
      // A foreign key says that it is there.
      const merchant = merchants.find(key.merchantId)!;
      return { merchant, environment: environmentOf(key.sandbox), firstUse };
    },

    async keyHashes(since) {
      const hashes: string[] = [];
      for (const { lookupHash, createdAt } of apiKeys.all())
        if (since === null || createdAt >= since) hashes.push(lookupHash);
      return hashes;
    },
  };
}
