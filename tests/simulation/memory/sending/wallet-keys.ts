/** The key fingerprints that tie the storage in memory to its wallet, and whether it had one. */
import type {
  HeldWalletKeys,
  SampledAddress,
  WalletKeys,
} from '../../../../src/adapters/postgres/sending/wallet-keys.ts';
import type { Family } from '../../../../src/domain/catalog/family.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { replaceWallet } from './replace-wallet.ts';

const SAMPLED_OF_FAMILY = 3;

/** A transaction is all the lock that it needs: there is one at a time. */
export function walletKeys(store: MemoryStore): WalletKeys {
  const held = heldOn(store);
  return {
    holding: (work) => store.transaction(() => work(held)),
    replacing: (work) =>
      store.transaction(() =>
        work({
          ...held,
          otherSessions: async () => 0,
          replace: async (keys, at) => replaceWallet(store, keys, at),
        }),
      ),
  };
}

function heldOn(store: MemoryStore): HeldWalletKeys {
  const { tables } = store;
  return {
    noted: async () =>
      tables.walletKeys
        .where(({ replacedAt }) => replacedAt === null)
        .map(({ family, fingerprint }) => ({ family, fingerprint }))
        .sort((a, b) => byText(a.family, b.family)),

    async note(keys, at) {
      for (const { family, fingerprint } of keys)
        tables.walletKeys.insert({ family, fingerprint, notedAt: at });
    },

    isUsed: async () => tables.merchants.size > 0 || tables.addresses.size > 0,
    sampleAddresses: async () => sampled(store),
  };
}

/** By family, and of each the highest indexes first. */
function sampled({ tables }: MemoryStore): readonly SampledAddress[] {
  const found = new Map<string, SampledAddress>();
  const add = (family: string, index: number, address: string) =>
    found.set(`${family} ${index} ${address}`, { family: family as Family, index, address });
  for (const { family, deriver, derivationIndex, address } of tables.addresses.all())
    if (deriver === family) add(family, derivationIndex, address);
  for (const { family, derivationIndex, address } of tables.derivedAddresses.all())
    add(family, derivationIndex, address);
  const sorted = [...found.values()].sort((a, b) => byText(a.family, b.family) || b.index - a.index);
  const taken = new Map<Family, number>();
  return sorted.filter(({ family }) => {
    const place = (taken.get(family) ?? 0) + 1;
    taken.set(family, place);
    return place <= SAMPLED_OF_FAMILY;
  });
}
