/**
 * Repositories of a transaction that hold back saves, new deposits, their UTXOs and postings, and
 * write all of them with a few statements: for work on many deposits or invoices. Any other call of
 * the repositories of invoices, deposits, UTXOs and the ledger first writes what is held back, and
 * so sees it. Those of the others do not.
 */
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { EntryKind } from '../../domain/ledger.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { heldBack, heldBackEntries, writing } from '../shared/held-back.ts';

export interface GatheredWrites {
  /**
   * A row that `lock`, `lockAll` or `lockFree` returned is returned again as it was saved last,
   * without a statement.
   */
  readonly gathered: Repositories;
  /** Writes what is held back; of a record that was saved repeatedly, only the last. */
  flush(): Promise<void>;
}

/** Entries that take nothing back, so that many are posted with a few statements. */
const TOGETHER: readonly EntryKind[] = ['deposit_arrived', 'income', 'hold'];

export function gatherWrites(repositories: Repositories): GatheredWrites {
  const invoices = heldBack<Invoice>();
  const deposits = heldBack<Deposit>();
  const merchants = new Map<string, Promise<Merchant | null>>();
  const urls = callbackUrlsOf(repositories, () => invoices.known().map(({ merchantId }) => merchantId));
  let inserted: Deposit[] = [];
  const entries = heldBackEntries(repositories.ledger, TOGETHER, written);
  let credited: { readonly deposit: Pick<Deposit, 'id'>; readonly family: string }[] = [];

  async function flush(): Promise<void> {
    const [fresh, posted, spendable] = [inserted, entries.take(), credited];
    [inserted, credited] = [[], []];
    await repositories.deposits.insertAll(fresh);
    await repositories.invoices.saveAll(invoices.take());
    await repositories.deposits.saveAll(deposits.take());
    for (const [family, some] of Map.groupBy(spendable, (one) => one.family))
      await repositories.utxos.insertDeposits(
        some.map(({ deposit }) => deposit),
        family,
      );
    await repositories.ledger.postAll(posted);
  }

  /** What was locked may be changed by another method: it is read again. */
  async function written(): Promise<void> {
    await flush();
    invoices.forget();
    deposits.forget();
  }

  return {
    flush,
    gathered: {
      ...repositories,
      deposits: {
        ...writing(repositories.deposits, written),
        ...deposits.locking(repositories.deposits),
        lockFree: deposits.lockingBy((ids) => repositories.deposits.lockFree(ids)),
        save: async (deposit) => deposits.save(deposit),
        async insertAll(given) {
          inserted.push(...given);
          for (const deposit of given) deposits.know(deposit);
        },
      },
      invoices: {
        ...writing(repositories.invoices, written),
        ...invoices.locking(repositories.invoices),
        lockFree: invoices.lockingBy((ids) => repositories.invoices.lockFree(ids)),
        save: async (invoice) => invoices.save(invoice),
      },
      ledger: entries.ledger,
      utxos: {
        ...writing(repositories.utxos, written),
        async insertDeposits(given, family) {
          for (const deposit of given) credited.push({ deposit, family });
        },
      },
      merchants: {
        ...repositories.merchants,
        find(id) {
          const found = merchants.get(id) ?? repositories.merchants.find(id);
          merchants.set(id, found);
          return found;
        },
        callbackUrls: urls,
      },
    },
  };
}

/** Reads those of merchants with a locked invoice too, because they will be asked for. */
function callbackUrlsOf(
  { merchants }: Repositories,
  merchantsOfInvoices: () => readonly string[],
): Repositories['merchants']['callbackUrls'] {
  const read = new Set<string>();
  const urls = new Map<string, string>();
  return async (ids) => {
    if (ids.some((id) => !read.has(id))) {
      const unread = [...new Set([...ids, ...merchantsOfInvoices()])].filter((id) => !read.has(id));
      for (const [id, url] of await merchants.callbackUrls(unread)) urls.set(id, url);
      for (const id of unread) read.add(id);
    }
    return urls;
  };
}
