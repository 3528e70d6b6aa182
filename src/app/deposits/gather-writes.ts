/**
 * Repositories of a transaction that hold back saves, new invoices and deposits, UTXOs and
 * postings, and write all of them with a few statements: for work on many deposits or invoices. Any
 * other call of the repositories of invoices, deposits, UTXOs and the ledger first writes what is
 * held back, and so sees it. Those of the others do not. New invoices are written last: they lock
 * the counters of their merchants' lists, for which creations wait. So a call whose answer they
 * cannot change leaves them where they are.
 */
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { EntryKind } from '../../domain/ledger.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { PermanentPayment } from '../../ports/invoices/invoice-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { type HeldBack, heldBack, heldBackEntries, writing } from '../shared/held-back.ts';

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
  const entries = heldBackEntries(repositories.ledger, TOGETHER, () => written('all'));
  let credited: { readonly deposit: Pick<Deposit, 'id'>; readonly family: string }[] = [];

  const isOfNew = ({ invoiceId }: Deposit) => invoiceId !== null && invoices.isAdded(invoiceId);

  async function flush(part: Part = 'all'): Promise<void> {
    const spendable = credited;
    credited = [];
    await repositories.deposits.insertAll(deposits.takeAdded((deposit) => !isOfNew(deposit)));
    await repositories.invoices.saveAll(invoices.take());
    await repositories.deposits.saveAll(deposits.take());
    for (const [family, some] of Map.groupBy(spendable, (one) => one.family))
      await repositories.utxos.insertDeposits(
        some.map(({ deposit }) => deposit),
        family,
      );
    await repositories.ledger.postAll(entries.take());
    if (part === 'all but new invoices' || invoices.added().length === 0) return;
    // They lock counters, which come after everything else (docs/architecture.md, "Rules").
    await repositories.invoices.insertAll(invoices.takeAdded());
    await repositories.deposits.insertAll(deposits.takeAdded());
  }

  /** What was locked may be changed by another method: it is read again. */
  async function written(part: Part): Promise<void> {
    await flush(part);
    invoices.forget();
    deposits.forget();
  }

  return {
    flush: () => flush(),
    gathered: {
      ...repositories,
      deposits: gatheredDeposits(repositories.deposits, { deposits, invoices, isOfNew, written }),
      invoices: gatheredInvoices(repositories.invoices, { invoices, written }),
      ledger: entries.ledger,
      utxos: {
        ...writing(repositories.utxos, () => written('all')),
        async insertDeposits(given, family) {
          for (const deposit of given) credited.push({ deposit, family });
        },
      },
      merchants: gatheredMerchants(repositories.merchants, () =>
        invoices.known().map(({ merchantId }) => merchantId),
      ),
    },
  };
}

/** New invoices, and their deposits, are left out where the answer cannot depend on them. */
type Part = 'all' | 'all but new invoices';

interface Held {
  readonly deposits: HeldBack<Deposit>;
  readonly invoices: HeldBack<Invoice>;
  readonly isOfNew: (deposit: Deposit) => boolean;
  readonly written: (part: Part) => Promise<void>;
}

function gatheredDeposits(
  port: Repositories['deposits'],
  { deposits, invoices, isOfNew, written }: Held,
): Repositories['deposits'] {
  const of = (invoiceId: string) => partFor(invoices.isAdded(invoiceId));
  return {
    ...writing(port, () => written('all')),
    ...deposits.locking(port),
    lockFree: deposits.lockingBy((ids) => port.lockFree(ids)),
    save: async (deposit) => deposits.save(deposit),
    async insertAll(given) {
      for (const deposit of given) deposits.add(deposit);
    },
    async hasPayment(invoiceId) {
      await written(of(invoiceId));
      return port.hasPayment(invoiceId);
    },
    async hasTraced(place) {
      const isHere = (deposit: Deposit) => deposit.address === place.address && isOfNew(deposit);
      await written(partFor(deposits.added().some(isHere)));
      return port.hasTraced(place);
    },
    // They have no invoice.
    async parkedUnits(place) {
      await written('all but new invoices');
      return port.parkedUnits(place);
    },
    async claimParked(place, invoiceId) {
      await written(of(invoiceId));
      return port.claimParked(place, invoiceId);
    },
  };
}

function gatheredInvoices(
  port: Repositories['invoices'],
  { invoices, written }: Pick<Held, 'invoices' | 'written'>,
): Repositories['invoices'] {
  /** Payments for which no invoice waited. */
  const alone = new Set<string>();
  return {
    ...writing(port, () => written('all')),
    ...invoices.locking(port),
    lockFree: invoices.lockingBy((ids) => port.lockFree(ids)),
    async save(invoice) {
      invoices.save(invoice);
      // It may wait for the next payment.
      if (invoice.status === 'created' && isChosenAt(invoice, null)) alone.clear();
    },
    insert: async (invoice) => invoices.add(invoice),
    async waitingOnPermanentAddresses(payments) {
      await written('all');
      const waiting = await port.waitingOnPermanentAddresses(payments);
      for (const [position, id] of waiting.entries())
        if (id === null) alone.add(permanentKey(payments[position]!));
      return waiting;
    },
    async lockWaitingOnPermanentAddress(payment) {
      const here = (invoice: Invoice) => isChosenAt(invoice, payment.permanentAddressId);
      const isNew = invoices.added().some((invoice) => invoice.status === 'created' && here(invoice));
      if (isNew) alone.clear();
      if (alone.has(permanentKey(payment))) return null;
      if (isNew || invoices.saved().some(here)) await written(partFor(isNew));
      return port.lockWaitingOnPermanentAddress(payment);
    },
  };
}

/** Whether it is for the address, or for any (null), by its present choice or an earlier one. */
function isChosenAt(invoice: Invoice, permanentAddressId: string | null): boolean {
  return [invoice, ...invoice.earlierChoices].some(({ permanentAddressId: id }) =>
    permanentAddressId === null ? id !== null : id === permanentAddressId,
  );
}

/** Equal for payments that the same invoice waits for. */
export const permanentKey = ({ permanentAddressId, asset, seenAt, madeBefore }: PermanentPayment): string =>
  [permanentAddressId, asset, seenAt.getTime(), madeBefore?.getTime()].join(' ');

const partFor = (concernsNew: boolean): Part => (concernsNew ? 'all' : 'all but new invoices');

/** Reads each once, and the URLs of all that will be asked for at once. */
function gatheredMerchants(
  port: Repositories['merchants'],
  merchantsOfInvoices: () => readonly string[],
): Repositories['merchants'] {
  const merchants = new Map<string, Promise<Merchant | null>>();
  const read = new Set<string>();
  const urls = new Map<string, string>();
  return {
    ...port,
    find(id) {
      const found = merchants.get(id) ?? port.find(id);
      merchants.set(id, found);
      return found;
    },
    async findAll(ids) {
      const found = await port.findAll(ids);
      for (const [id, merchant] of found) merchants.set(id, Promise.resolve(merchant));
      return found;
    },
    async callbackUrls(ids) {
      if (ids.some((id) => !read.has(id))) {
        const wanted = new Set([...ids, ...merchants.keys(), ...merchantsOfInvoices()]);
        const unread = [...wanted].filter((id) => !read.has(id));
        for (const [id, url] of await port.callbackUrls(unread)) urls.set(id, url);
        for (const id of unread) read.add(id);
      }
      return urls;
    },
  };
}
