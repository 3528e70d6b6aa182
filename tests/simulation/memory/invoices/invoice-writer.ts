import type { InvoiceWriter } from '../../../../src/ports/invoices/invoice-writer.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function invoiceWriter(_store: MemoryStore): InvoiceWriter {
  return notYet('invoiceWriter');
}
