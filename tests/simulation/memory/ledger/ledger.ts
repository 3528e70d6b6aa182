/** The double-entry ledger in memory. */
import { takenBackBy } from '../../../../src/adapters/postgres/ledger/ledger.ts';
import { entryFromRow } from '../../../../src/adapters/postgres/ledger/ledger-row.ts';
import type { BalanceSummary } from '../../../../src/domain/ledger.ts';
import type { LedgerRepository } from '../../../../src/ports/ledger-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { postEntry } from './post-entry.ts';

export function ledgerRepository(store: MemoryStore): LedgerRepository {
  const { balances, ledgerEntries, ledgerPostings } = store.tables;
  const lockBalance: LedgerRepository['lockBalance'] = async (merchantId, sandbox) => {
    const none = { incomeMicroUsd: 0n, payoutsMicroUsd: 0n, refundsMicroUsd: 0n };
    const { incomeMicroUsd, payoutsMicroUsd, refundsMicroUsd } =
      balances.find(merchantId, sandbox) ?? balances.insert({ merchantId, sandbox, ...none });
    return { incomeMicroUsd, payoutsMicroUsd, refundsMicroUsd };
  };
  return {
    post: async (entry) => postEntry(store, entry),

    async postAll(entries) {
      for (const entry of entries)
        if (takenBackBy(entry).some((kinds) => kinds !== undefined) || entry.kind === 'payout_reserved')
          throw new Error(`a ${entry.kind} entry is posted by itself`);
      for (const entry of entries) postEntry(store, entry);
    },

    entriesOf: async (referenceId) =>
      ledgerEntries
        .by('referenceId', referenceId)
        .sort((a, b) => a.ordinal - b.ordinal)
        .map((row) => {
          const postings = ledgerPostings.by('entryId', row.id).sort((a, b) => a.ordinal - b.ordinal);
          return entryFromRow({
            ...row,
            postings: postings.map(({ account, currency, amount }) => ({ account, currency, amount })),
          });
        }),

    lockBalance,
    async lockBalances(merchantIds, sandbox) {
      const locked = new Map<string, BalanceSummary>();
      for (const id of new Set(merchantIds)) locked.set(id, await lockBalance(id, sandbox));
      return locked;
    },
  };
}
