/** Watch lists for scanner tests: a fixed set of addresses instead of the database. */
import type { WatchList } from '../../src/ports/chain-scanner.ts';

/** Watches `addresses` (normalized); those in `expectingNative` also wait for the native coin. */
export function watching(addresses: readonly string[], expectingNative: readonly string[] = []): WatchList {
  const issued = new Set(addresses);
  return {
    known: async (asked) => new Set(asked.filter((address) => issued.has(address))),
    expectingNative: async () => expectingNative,
    following: async () => addresses,
    recorded: async () => new Set(),
    reservedIndexes: async () => 0,
  };
}

export const watchingNobody: WatchList = watching([]);
