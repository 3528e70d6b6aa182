/** Watch lists for scanner tests: a fixed set of addresses instead of the database. */
import type { WatchedSpending, WatchList } from '../../../src/ports/chains/watch-list.ts';

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

/** A hot wallet that sent nothing, but for what `sent` says. */
export function spendingFrom(wallet: string, sent: Partial<WatchedSpending> = {}): WatchedSpending {
  return {
    wallet,
    signed: async () => new Set<string>(),
    ours: async () => new Set<string>(),
    change: async () => new Map(),
    sent: async () => [],
    owed: async () => [],
    ...sent,
  };
}

export const watchingNobody: WatchList = watching([]);
