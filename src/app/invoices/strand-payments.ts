/** What the end of an invoice means for its deposits. */
import { isFinal } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { Repositories } from '../../ports/repositories.ts';

/**
 * Whether the invoice takes no more payments. A high-risk one still does, so that its payments stay
 * together.
 */
export function hasEnded(invoice: Invoice): boolean {
  return isFinal(invoice) && invoice.status !== 'high_risk';
}

/**
 * Makes waiting deposits of invoices that take them no more strays, so that an operator sees all
 * money.
 */
export async function strand(repositories: Repositories, invoiceIds: readonly string[]): Promise<void> {
  await repositories.deposits.moveOfInvoices(invoiceIds, {
    from: 'arrived',
    to: 'stray',
    strayReason: 'invoice_ended',
  });
}
