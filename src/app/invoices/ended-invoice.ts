/** What it means for deposits that an invoice has ended. */
import { isFinal } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { Repositories } from '../../ports/repositories.ts';

/** Whether the invoice takes no more money. One that is held up by the risk check does: what it was paid belongs together. */
export function hasEnded(invoice: Invoice): boolean {
  return isFinal(invoice) && invoice.status !== 'high_risk';
}

/** Deposits that wait for invoices which ended without them become strays: nobody's money is lost from sight. */
export async function strand(repositories: Repositories, invoiceIds: readonly string[]): Promise<void> {
  await repositories.deposits.moveOfInvoices(invoiceIds, {
    from: 'arrived',
    to: 'stray',
    strayReason: 'invoice_ended',
  });
}
