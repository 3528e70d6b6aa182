import type { InvoiceRepository } from '../../../../src/ports/invoices/invoice-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function invoiceRepository(_store: MemoryStore): InvoiceRepository {
  return notYet('invoiceRepository');
}
