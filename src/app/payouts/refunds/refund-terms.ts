/**
 * The amount and recipient of an operator's refund, from the invoice and its credits; or the rule
 * that refuses it.
 */
import type { Asset } from '../../../domain/catalog/asset.ts';
import { type AppError, payoutRejected } from '../../../domain/errors.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { Decimal } from '../../../domain/money/decimal.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { refusedDestination } from '../payout-destination.ts';
import { type Credit, partOf, type RefundableNeeds, refundableInvoice, unitsToRefund } from './refundable.ts';

export type TermsNeeds = RefundableNeeds & Pick<AppDependencies, 'liveDerivers'>;

export interface RefundOrder {
  /** Null: the payer, if that is one known address. */
  readonly to: string | null;
  /** In the invoice's asset; null: everything that the merchant was credited for it. */
  readonly amount: Decimal | null;
  /** The operator's name, for the merchant and the audit. */
  readonly by: string;
  /** Allows a merchant's balance below zero (safety.md G8). */
  readonly force?: boolean;
  /** Writes nothing; returns what would be done. */
  readonly dryRun?: boolean;
}

export interface RefundTerms {
  readonly invoice: Invoice;
  readonly asset: Asset;
  readonly part: Credit;
  readonly to: string;
}

/** The amount and recipient of a locked invoice's refund. */
export async function refundTerms(
  deps: TermsNeeds,
  repositories: Repositories,
  invoiceId: string,
  { amount, to }: RefundOrder,
): Promise<Result<RefundTerms, AppError>> {
  const found = await refundableInvoice(deps, repositories, invoiceId);
  if (!found.ok) return found;
  const { invoice, asset } = found.value;
  const units = unitsToRefund(found.value, { subject: 'invoice', amount });
  if (!units.ok) return units;
  const part = partOf(found.value, units.value);
  if (!part.ok) return part;
  const recipient = await destinationOf(deps, repositories, { invoice, asset, to });
  return recipient.ok ? ok({ invoice, asset, part: part.value, to: recipient.value }) : recipient;
}

/**
 * The payer, if it was one address, unless the operator names another. In the sandbox nothing is
 * sent to the simulated payer.
 */
async function destinationOf(
  deps: TermsNeeds,
  repositories: Repositories,
  { invoice, asset, to }: { invoice: Invoice; asset: Asset; to: string | null },
): Promise<Result<string, AppError>> {
  const address = to ?? (await onlySender(deps, repositories, invoice, asset));
  if (address === null) {
    return err(
      payoutRejected(
        'destination_unknown',
        'It was paid from several addresses or an unknown one. Name the recipient (to).',
      ),
    );
  }
  if (to === null && invoice.sandbox) return ok(address);
  const refused = await refusedDestination(deps, repositories, asset, address);
  return refused ? err(refused) : ok(address);
}

async function onlySender(
  deps: TermsNeeds,
  repositories: Repositories,
  invoice: Invoice,
  asset: Asset,
): Promise<string | null> {
  const deriver = deps.liveDerivers.get(asset.family);
  const deposits = await repositories.deposits.lockOfInvoice(invoice.id, ['credited']);
  const senders = new Map<string | null, string | null>(
    deposits.map(({ addressFrom }) => [
      addressFrom === null ? null : (deriver?.normalize(addressFrom) ?? addressFrom),
      addressFrom,
    ]),
  );
  const [only = null] = senders.values();
  return senders.size === 1 ? only : null;
}
