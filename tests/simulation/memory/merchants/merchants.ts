/** Merchants and their keys in memory; each is inserted with its counters and balances. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { environmentOf } from '../../../../src/adapters/postgres/merchants/merchants.ts';
import { STREAMS } from '../../../../src/adapters/postgres/schema/merchants.ts';
import type { Merchant } from '../../../../src/domain/merchants/merchant.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { EndingKey, MerchantRepository } from '../../../../src/ports/merchants/merchant-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText, byTime } from '../store/orders.ts';
import { activeKey, isSandbox, livesAfter, olderKey, signingKeysOf } from './keys.ts';

export function merchantRepository(store: MemoryStore): MerchantRepository {
  const { merchants } = store.tables;
  const find = async (id: string) => merchants.find(id) ?? null;
  return {
    insert: async (merchant) => insert(store, merchant),
    find,
    findAll: async (ids) =>
      new Map(ids.flatMap((id) => merchants.find(id) ?? []).map((merchant) => [merchant.id, merchant])),
    lock: find,

    async callbackUrls(ids) {
      const urls = new Map<string, string>();
      for (const id of ids) {
        const url = merchants.find(id)?.callbackUrl ?? null;
        if (url !== null) urls.set(id, url);
      }
      return urls;
    },

    async payoutCallbacks(ids) {
      const urls = new Map<string, string | null>();
      for (const id of ids) {
        const merchant = merchants.find(id);
        if (merchant?.payoutWebhooks) urls.set(id, merchant.callbackUrl);
      }
      return urls;
    },

    async update(merchant) {
      const there = merchants.find(merchant.id);
      const row = theOnly(there ? [there] : [], `update of merchant ${merchant.id}`);
      merchants.update(row, { ...rowOf(merchant), createdAt: row.createdAt });
    },

    ...keyRepository(store),
  };
}

type KeyMethods =
  | 'putKey'
  | 'activeKey'
  | 'keyTimes'
  | 'signingKeys'
  | 'noteFirstUse'
  | 'keysEndingUnfollowed'
  | 'endOlderKey';

function keyRepository(store: MemoryStore): Pick<MerchantRepository, KeyMethods> {
  const { merchants, apiKeys } = store.tables;
  /** Whether an older key lived. */
  const endOlder = (scope: Scope, now: Date, until: Date | null): boolean => {
    const older = olderKey(store, scope);
    if (older === undefined) return false;
    const lived = livesAfter(older, now);
    apiKeys.update(older, { livesUntil: lived ? until : null });
    return lived;
  };
  return {
    async putKey({ merchantId, environment, lookupHash, sealed, createdAt }, olderUntil) {
      const merchant = merchants.find(merchantId);
      theOnly(merchant ? [merchant] : [], `merchant ${merchantId}`);
      const sandbox = isSandbox(environment);
      const ended = endOlder({ merchantId, sandbox }, createdAt, null) ? 1 : 0;
      const before = activeKey(store, { merchantId, sandbox });
      if (before) apiKeys.update(before, { revokedAt: createdAt, livesUntil: olderUntil });
      apiKeys.insert({ merchantId, sandbox, lookupHash, sealed, createdAt });
      const revoked = before === undefined ? 0 : 1;
      return olderUntil === null
        ? { livesOn: false, ended: ended + revoked }
        : { livesOn: revoked > 0, ended };
    },

    async activeKey(merchantId, environment) {
      const key = activeKey(store, { merchantId, sandbox: isSandbox(environment) });
      if (key === undefined) return null;
      const { lookupHash, sealed, createdAt } = key;
      return { merchantId, environment, lookupHash, sealed, createdAt };
    },

    keyTimes: async (merchantId) =>
      [false, true].flatMap((sandbox) => {
        const key = activeKey(store, { merchantId, sandbox });
        if (key === undefined) return [];
        const olderUntil = olderKey(store, { merchantId, sandbox })?.livesUntil ?? null;
        return [{ environment: environmentOf(sandbox), createdAt: key.createdAt, olderUntil }];
      }),

    signingKeys: async (merchantId, environment, now) =>
      signingKeysOf(store, { merchantId, sandbox: isSandbox(environment) }, now),

    async noteFirstUse(lookupHash, at) {
      const key = apiKeys.find(lookupHash);
      if (key === undefined || key.firstUsedAt !== null) return false;
      apiKeys.update(key, { firstUsedAt: at });
      return true;
    },

    async keysEndingUnfollowed(now, until) {
      const ending: EndingKey[] = [];
      for (const { merchantId, sandbox, livesUntil } of apiKeys.all()) {
        if (livesUntil === null || livesUntil <= now || livesUntil > until) continue;
        if (activeKey(store, { merchantId, sandbox })?.firstUsedAt !== null) continue;
        ending.push({ merchantId, environment: environmentOf(sandbox), until: livesUntil });
      }
      return ending.sort((a, b) => byTime(a.until, b.until) || byText(a.merchantId, b.merchantId));
    },

    endOlderKey: async (merchantId, environment, { now, until }) =>
      endOlder({ merchantId, sandbox: isSandbox(environment) }, now, until),
  };
}

function insert({ tables }: MemoryStore, merchant: Merchant): void {
  const { id: merchantId } = tables.merchants.insert(rowOf(merchant));
  for (const sandbox of [false, true]) {
    for (const stream of STREAMS)
      tables.counters.insert({ merchantId, sandbox, stream, value: 0n, lastAt: new Date(0) });
    const money = { incomeMicroUsd: 0n, payoutsMicroUsd: 0n, refundsMicroUsd: 0n };
    tables.balances.insert({ merchantId, sandbox, ...money });
  }
}

/** With lists of its own: nobody else may change those of a row. */
function rowOf<Given extends Pick<Merchant, 'allowedSubnets' | 'acceptedCoins'>>(given: Given) {
  const { allowedSubnets, acceptedCoins, ...columns } = given;
  return {
    ...columns,
    allowedSubnets: [...allowedSubnets],
    acceptedCoins: acceptedCoins && [...acceptedCoins],
  };
}
