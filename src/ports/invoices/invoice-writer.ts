/** The hot write path of POST /invoices: concurrent creations are grouped into one statement (performance.md). */
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { IssuedAddress } from '../repositories.ts';
import type { Once } from './stored-answers.ts';

/** Thrown when an invoice of that id stands: nothing of the new one was written. */
export class InvoiceIdTaken extends Error {
  override readonly name = 'InvoiceIdTaken';
}

export interface InvoiceWriter {
  /**
   * Durably inserts the invoice and, where it has one of its own, its address, in one commit. Answers the invoice with its
   * final `createdAt` (never before an earlier invoice of the same merchant). With `once` the commit stores what is answered
   * for that invoice, too, which may tell its times in whole seconds; throws KeyTaken, and writes nothing, when its key stands, or another request has it right now.
   * Throws InvoiceIdTaken when an invoice of its id stands, and StorageUnavailable when the database is away.
   */
  add(invoice: Invoice, address: IssuedAddress | null, once?: Once<Invoice> | null): Promise<Invoice>;
}
