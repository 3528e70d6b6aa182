/** Invoices in memory: find, lock, save. Expiry is in expiry.ts. */
import { isUuid, theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { choicesFromText } from '../../../../src/adapters/postgres/invoices/invoice-choices.ts';
import { invoiceFromRow, invoiceToRow } from '../../../../src/adapters/postgres/invoices/invoice-row.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import type {
  InvoiceRepository,
  PermanentPayment,
} from '../../../../src/ports/invoices/invoice-repository.ts';
import type { MemoryStore, Tables } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { dueInvoices, expireUnpaid, lockOverduePartlyPaid } from './expiry.ts';
import { insertInvoice } from './insert-invoice.ts';
import { checkedInvoice } from './invoice-checks.ts';
import { isThere } from './present-deposits.ts';

export type StoredInvoice = NonNullable<ReturnType<Tables['invoices']['find']>>;

export function invoiceRepository(store: MemoryStore): InvoiceRepository {
  const { invoices } = store.tables;
  const find = async (id: string) => readOf(invoices.find(id));
  const lock = (ids: readonly string[]) =>
    [...new Set(ids)].sort(byText).flatMap((id) => readOf(invoices.find(id)) ?? []);
  const save = (invoice: Invoice) => {
    const there = invoices.find(invoice.id);
    const row = theOnly(there ? [there] : [], `save of invoice ${invoice.id}`);
    // A refusal takes back the whole transaction.
    checkedInvoice(invoices.update(row, changeableOf(invoice)));
  };
  return {
    async insert(invoice) {
      insertInvoice(store, invoice, null);
    },
    async insertAll(all) {
      for (const invoice of all) insertInvoice(store, invoice, null);
    },

    find,
    lock: find,
    lockAll: async (ids) => lock(ids),
    lockFree: async (ids) => lock(ids),
    lockByExternalId: async (externalId) =>
      isUuid(externalId) ? readOf(invoices.by('externalId', externalId.toLowerCase())[0]) : null,

    save: async (invoice) => save(invoice),

    async saveAll(all) {
      for (const invoice of all) save(invoice);
    },

    expireUnpaid: async (query) => expireUnpaid(store, query),
    lockOverduePartlyPaid: async (query) => lockOverduePartlyPaid(store, query),
    due: async (...asked) => dueInvoices(store, ...asked),
    lockWaitingOnPermanentAddress: async (payment) => readOf(waiting(store, payment)),
    waitingOnPermanentAddresses: async (payments) =>
      payments.map((payment) => waiting(store, payment)?.id ?? null),
  };
}

function readOf(row: StoredInvoice | undefined): Invoice | null {
  return row === undefined ? null : invoiceFromRow(row);
}

function changeableOf(invoice: Invoice) {
  const row = invoiceToRow(invoice);
  return {
    status: row.status,
    version: row.version,
    asset: row.asset,
    dueUnits: row.dueUnits,
    baseUnits: row.baseUnits,
    originalUnits: row.originalUnits,
    deferralUnits: row.deferralUnits,
    pendingUnits: row.pendingUnits,
    creditedUnits: row.creditedUnits,
    heldUnits: row.heldUnits,
    acceptedUnits: row.acceptedUnits,
    expiresAt: row.expiresAt,
    processedAt: row.processedAt,
    txid: row.txid,
    addressFrom: row.addressFrom,
    initialAsset: row.initialAsset,
    addressTo: row.addressTo,
    earlierChoices: row.earlierChoices,
    permanentAddressId: row.permanentAddressId,
    updatedAt: row.updatedAt,
  };
}

/** The present choice comes first, then the newest (adapters/postgres/invoices/invoices.ts). */
function waiting(
  { tables }: MemoryStore,
  { permanentAddressId, asset, seenAt, madeBefore }: PermanentPayment,
): StoredInvoice | undefined {
  const isWaiting = (invoice: StoredInvoice) =>
    invoice.status === 'created' &&
    invoice.expiresAt > seenAt &&
    (madeBefore === null || invoice.createdAt <= madeBefore);
  const hasPayment = ({ id }: StoredInvoice) => tables.deposits.by('invoiceId', id).some(isThere);
  const choseIt = ({ earlierChoices }: StoredInvoice) =>
    choicesFromText(earlierChoices).some(
      (choice) => choice.price.asset === asset && choice.permanentAddressId === permanentAddressId,
    );
  const standing = tables.invoices
    .by('permanentAddressId', permanentAddressId)
    .filter((invoice) => invoice.asset === asset && isWaiting(invoice));
  if (standing.length > 0) return newestOf(standing);
  const address = tables.permanentAddresses.find(permanentAddressId);
  if (address === undefined) return undefined;
  return newestOf(
    tables.invoices
      .by('userId', address.userId)
      .filter(
        (invoice) =>
          invoice.bindsPermanentAddress && isWaiting(invoice) && choseIt(invoice) && !hasPayment(invoice),
      ),
  );
}

function newestOf(invoices: readonly StoredInvoice[]): StoredInvoice | undefined {
  let newest: StoredInvoice | undefined;
  for (const invoice of invoices) if (newest === undefined || invoice.seq > newest.seq) newest = invoice;
  return newest;
}
