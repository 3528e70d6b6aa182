/**
 * The hot write path of POST /invoices: concurrent creations are grouped into one statement
 * (performance.md).
 */
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { Once } from '../stored-answers.ts';
import type { IssuedAddress } from './address-repository.ts';

/** An invoice of that id exists; nothing was written. */
export class InvoiceIdTaken extends Error {
  override readonly name = 'InvoiceIdTaken';
}

export interface InvoiceWriter {
  /**
   * Inserts the invoice, and its own address if it has one, in one durable commit. Returns the
   * invoice with its final `createdAt`, which is never earlier than that of an earlier invoice of
   * the merchant. With `once`, the commit also stores the response. Writes nothing and throws
   * IdempotencyKeyTaken when that key is used or in use, InvoiceIdTaken when the id exists,
   * StorageUnavailable when the database is away.
   */
  add(invoice: Invoice, address: IssuedAddress | null, once?: Once<Invoice> | null): Promise<Invoice>;
}
