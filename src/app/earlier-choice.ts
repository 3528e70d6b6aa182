/**
 * A payment that arrives for an earlier choice: the customer's phone may still show its QR code. While nothing else was paid, that
 * choice becomes the invoice's again, at its price (decisions.md, "Invoices").
 */
import { chosenBefore, withChoice } from '../domain/invoice-choice.ts';
import type { Invoice } from '../domain/invoice-record.ts';
import type { Repositories } from '../ports/repositories.ts';

/** The invoice as a payment in `asset` finds it, not saved; null when it is not to be paid in it. The invoice must be locked. */
export async function invoicePaidIn(
  repositories: Repositories,
  invoice: Invoice,
  asset: string,
): Promise<Invoice | null> {
  if (invoice.price?.asset === asset) return invoice;
  const choice = chosenBefore(invoice, asset);
  if (choice === null || invoice.status !== 'created') return null;
  return (await repositories.deposits.hasPayment(invoice.id)) ? null : withChoice(invoice, choice);
}
