/**
 * Writes a new invoice, with its own deposit address if it has one. It gets the next number of its
 * merchant's list, and its created_at is never earlier than that of the number before.
 */
import { invoiceToRow } from '../../../../src/adapters/postgres/invoices/invoice-row.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import type { IssuedAddress } from '../../../../src/ports/invoices/address-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { nextNumber } from '../store/numbering.ts';
import { storedJson } from '../store/texts.ts';
import { checkedInvoice } from './invoice-checks.ts';

/** The final created_at. */
export function insertInvoice(store: MemoryStore, invoice: Invoice, address: IssuedAddress | null): Date {
  if (address !== null && (address.invoiceId !== invoice.id || address.permanentAddressId !== null))
    throw new Error(`the address given with invoice ${invoice.id} belongs to something else`);
  const { merchantId, sandbox } = invoice;
  const number = nextNumber(store, { merchantId, sandbox, stream: 'invoices', latest: invoice.createdAt });
  if (number === null) throw new Error(`invoice ${invoice.id} is of an unknown merchant`);
  const row = checkedInvoice(invoiceToRow(invoice));
  store.tables.invoices.insert({
    ...row,
    acceptedCoins: row.acceptedCoins && [...row.acceptedCoins],
    excludedCoins: row.excludedCoins && [...row.excludedCoins],
    externalId: row.externalId.toLowerCase(),
    metadata: row.metadata && storedJson(row.metadata),
    payerInfo: row.payerInfo && storedJson(row.payerInfo),
    seq: number.seq,
    createdAt: number.at,
  });
  if (address !== null) store.tables.addresses.insert(address);
  return number.at;
}
