/** What is counted around sign-ins, and what awaits an answer, in memory. */
import type {
  CeremonyRepository,
  SignInAttemptRepository,
} from '../../../../src/ports/accounts/sign-in-repositories.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { purgeExpired } from '../store/purge.ts';
import { checkCeremony, isHash } from './account-rows.ts';

export function signInAttemptRepository(store: MemoryStore): SignInAttemptRepository {
  const { signInAttempts, knownNetworks } = store.tables;
  return {
    async lock(keys, now) {
      const tallies = new Map<string, { failures: number; lastAt: Date }>();
      for (const key of keys.toSorted(byText)) {
        check('sign_in_attempts_key', isHash(key));
        const there = signInAttempts.find(key);
        const { failures, lastAt } = there ?? signInAttempts.insert({ key, failures: 0, lastAt: now });
        tallies.set(key, { failures, lastAt });
      }
      return tallies;
    },

    async save(key, { failures, lastAt }) {
      const row = signInAttempts.find(key);
      if (row !== undefined) signInAttempts.update(row, { failures, lastAt });
    },

    async takeBack(keys) {
      for (const key of new Set(keys)) {
        const row = signInAttempts.find(key);
        if (row !== undefined) signInAttempts.update(row, { failures: Math.max(0, row.failures - 1) });
      }
    },

    async forget(keys) {
      for (const key of keys) {
        const row = signInAttempts.find(key);
        if (row !== undefined) signInAttempts.delete(row);
      }
    },

    async noteNetwork(userId, network, at) {
      check('known_networks_network', isHash(network));
      knownNetworks.insertOrUpdate({ userId, network, lastAt: at }, () => ({ lastAt: at }));
    },

    async purge({ attempts, networks }, limit) {
      const oldest = <Row extends { readonly lastAt: Date }>(rows: Row[]): Row[] =>
        rows.sort((a, b) => a.lastAt.getTime() - b.lastAt.getTime()).slice(0, limit);
      const tries = oldest(signInAttempts.where(({ lastAt }) => lastAt < attempts));
      for (const row of tries) signInAttempts.delete(row);
      const known = oldest(knownNetworks.where(({ lastAt }) => lastAt < networks));
      for (const row of known) knownNetworks.delete(row);
      return Math.max(tries.length, known.length);
    },
  };
}

export function ceremonyRepository(store: MemoryStore): CeremonyRepository {
  const { ceremonies } = store.tables;
  return {
    async put(ceremony) {
      checkCeremony(ceremony);
      const { sealed, expiresAt } = ceremony;
      ceremonies.insertOrUpdate({ ...ceremony }, () => ({ sealed, expiresAt }));
    },

    async insertIfAbsent(ceremony) {
      checkCeremony(ceremony);
      return ceremonies.insertUnlessThere({ ...ceremony }) !== null;
    },

    find: async (key) => ceremonies.find(key) ?? null,

    async take(key) {
      const row = ceremonies.find(key);
      if (row === undefined) return null;
      ceremonies.delete(row);
      return row;
    },

    purge: async (now, limit) => purgeExpired(ceremonies, now, limit),
  };
}
