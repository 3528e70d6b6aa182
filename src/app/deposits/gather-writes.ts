/**
 * Repositories of a transaction that hold back saves and postings, and write all of them with a few
 * statements: for work on many deposits or invoices. Reads return stored state, not what is held
 * back.
 */
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { NewEntry } from '../../ports/ledger-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';

export interface GatheredWrites {
  /** Saves of deposits and invoices, and entries, are held back; all other calls pass through. */
  readonly gathered: Repositories;
  /** Writes what was held back; of a record that was saved repeatedly, only the last. */
  flush(): Promise<void>;
}

export function gatherWrites(repositories: Repositories): GatheredWrites {
  const deposits = new Map<string, Deposit>();
  const invoices = new Map<string, Invoice>();
  const entries: NewEntry[] = [];
  const merchants = new Map<string, Promise<Merchant | null>>();
  return {
    gathered: {
      ...repositories,
      deposits: {
        ...repositories.deposits,
        save: async (deposit) => void deposits.set(deposit.id, deposit),
      },
      invoices: {
        ...repositories.invoices,
        save: async (invoice) => void invoices.set(invoice.id, invoice),
      },
      ledger: { ...repositories.ledger, post: async (entry) => void entries.push(entry) },
      merchants: {
        ...repositories.merchants,
        find(id) {
          const found = merchants.get(id) ?? repositories.merchants.find(id);
          merchants.set(id, found);
          return found;
        },
      },
    },
    async flush() {
      await repositories.invoices.saveAll([...invoices.values()]);
      await repositories.deposits.saveAll([...deposits.values()]);
      await repositories.ledger.postAll(entries);
    },
  };
}
