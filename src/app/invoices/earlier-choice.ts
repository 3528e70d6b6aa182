/**
 * A payment for an earlier choice: the customer's phone may still show its QR code. If nothing else
 * was paid, the invoice returns to that choice and its price (decision 0007). A small deposit
 * does not cause that, or anyone could turn the payment for the present choice into a stray: it
 * waits until the payments for that choice together are no longer small.
 */
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { StrayReason } from '../../domain/deposits/stray-reason.ts';
import { isDeferred } from '../../domain/invoices/invoice.ts';
import { chosenBefore, withChoice } from '../../domain/invoices/invoice-choice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { Repositories } from '../../ports/repositories.ts';

/** The invoice that a payment is for, or why it is for none. */
export type InvoiceMatch = { readonly invoice: Invoice } | { readonly stray: StrayReason };

const SMALL = 'below_minimum_for_earlier_choice';

/**
 * Returns the unsaved invoice, with the earlier choice as its present one where the payment is for
 * that. It must be locked, and accept the payment. Deposits that waited at the address for the same
 * choice become the invoice's, and are pending in the result.
 */
export async function matchEarlierChoice(
  { deposits }: Pick<Repositories, 'deposits'>,
  invoice: Invoice,
  { chain, address, asset, units }: Pick<Deposit, 'chain' | 'address' | 'asset' | 'units'>,
): Promise<InvoiceMatch> {
  if (invoice.price?.asset === asset) return { invoice };
  const choice = chosenBefore(invoice, asset);
  if (choice === null || invoice.status !== 'created' || (await deposits.hasPayment(invoice.id)))
    return { stray: 'other_asset' };
  const taken = withChoice(invoice, choice);
  const pending = (more: bigint): Invoice => ({
    ...taken,
    funds: { ...taken.funds, pendingUnits: taken.funds.pendingUnits + more },
  });
  const small = { chain, address, asset, strayReason: SMALL } as const;
  if (isDeferred(pending(units + (await deposits.parkedUnits(small))))) return { stray: SMALL };
  return { invoice: pending(await deposits.claimParked(small, invoice.id)) };
}
