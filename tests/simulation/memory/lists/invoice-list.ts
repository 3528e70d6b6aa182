/** Invoices as a merchant's list filters and sorts them (postgres/lists/conditions.ts). */
import { choicesFromText } from '../../../../src/adapters/postgres/invoices/invoice-choices.ts';
import { invoiceFromRow } from '../../../../src/adapters/postgres/invoices/invoice-row.ts';
import { lastChange } from '../../../../src/domain/chains/last-change.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import type { InvoiceFilter, Page, PageRequest, Scope, Sort } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byNumber } from '../store/orders.ts';
import { fulfilling, inScope, isWithin, pageOf, sorted, type Test, wants } from './page.ts';

type InvoiceRow = NonNullable<ReturnType<MemoryStore['tables']['invoices']['find']>>;

export function invoicesOf(store: MemoryStore, scope: Scope, filter: InvoiceFilter): InvoiceRow[] {
  return fulfilling(inScope(store.tables.invoices, scope), testsOf(store, scope, filter));
}

export function invoicePage(
  store: MemoryStore,
  { scope, filter, sort }: { scope: Scope; filter: InvoiceFilter; sort: Sort },
  page: PageRequest,
): Page<Invoice> {
  return pageOf(sorted(invoicesOf(store, scope, filter), sort, byAmount), page, invoiceFromRow);
}

/** In fiat: units of different assets cannot be compared. */
function byAmount(a: InvoiceRow, b: InvoiceRow): number {
  return byNumber(a.initialFiatMicros, b.initialFiatMicros) || byNumber(a.seq, b.seq);
}

function testsOf(store: MemoryStore, scope: Scope, filter: InvoiceFilter): readonly Test<InvoiceRow>[] {
  const among = (ids: ReadonlySet<string>) => (row: InvoiceRow) => ids.has(row.id);
  return [
    ...wants<readonly string[], InvoiceRow>(filter.ids, (ids) => among(new Set(ids))),
    ...wants<string, InvoiceRow>(filter.externalId, (id) => (row) => row.externalId === id.toLowerCase()),
    ...wants<readonly string[], InvoiceRow>(filter.txids, (txids) => among(paidIn(store, txids))),
    ...wants<readonly string[], InvoiceRow>(filter.addresses, (addresses) =>
      among(paidAt(store, scope, addresses)),
    ),
    ...wants<string, InvoiceRow>(filter.extra, (extra) => (row) => row.extra === extra),
    ...wants<string, InvoiceRow>(filter.userId, (userId) => (row) => row.userId === userId),
    ...wants<Date, InvoiceRow>(filter.updatedFrom, (time) => (row) => lastChange(row) >= time),
    ...wants<string, InvoiceRow>(filter.status, (status) => (row) => row.status === status),
    ...wants<string, InvoiceRow>(filter.asset, (asset) => (row) => row.asset === asset),
    (row) => isWithin(row.createdAt, filter),
  ];
}

/** Of any payment on a chain, whatever became of it. */
function paidIn({ tables }: MemoryStore, txids: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(txids);
  const ids = new Set<string>();
  for (const { txid, invoiceId } of tables.deposits.all())
    if (invoiceId !== null && wanted.has(txid)) ids.add(invoiceId);
  return ids;
}

/**
 * The invoice's own address, present or former; or the user's permanent one, chosen now or before.
 */
function paidAt({ tables }: MemoryStore, scope: Scope, addresses: readonly string[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const spelling of addresses)
    for (const { invoiceId, permanentAddressId } of tables.addresses.by('address', spelling)) {
      if (invoiceId !== null) ids.add(invoiceId);
      const permanent =
        permanentAddressId === null ? undefined : tables.permanentAddresses.find(permanentAddressId);
      if (permanent?.merchantId !== scope.merchantId || permanent.sandbox !== scope.sandbox) continue;
      for (const invoice of inScope(tables.invoices, scope))
        if (invoice.userId === permanent.userId && isChosenBy(invoice, permanent.id)) ids.add(invoice.id);
    }
  return ids;
}

function isChosenBy(invoice: InvoiceRow, id: string): boolean {
  return (
    invoice.permanentAddressId === id ||
    choicesFromText(invoice.earlierChoices).some(({ permanentAddressId }) => permanentAddressId === id)
  );
}
