/**
 * The amount and recipient of an operator's refund, from the invoice and its credits; or the rule
 * that refuses it.
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { type AppError, appError, payoutRejected } from '../../domain/errors.ts';
import { isRefundable } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { type Decimal, formatUnits, mulDiv, toUnits } from '../../domain/money/decimal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { NewEntry } from '../../ports/ledger-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { refusedDestination } from './payout-destination.ts';

export type TermsNeeds = Pick<AppDependencies, 'catalog' | 'liveDerivers' | 'sendingChains'>;

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

export interface Credit {
  /** Base units of the invoice's asset, and their value when they were credited. */
  readonly units: bigint;
  readonly microUsd: bigint;
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
  input: RefundOrder,
): Promise<Result<RefundTerms, AppError>> {
  const invoice = await repositories.invoices.lock(invoiceId);
  if (!invoice) return err(appError('NOT_FOUND', `No such invoice: ${invoiceId}`));
  if (!isRefundable(invoice) || invoice.price === null)
    return err(appError('INVALID_TRANSITION', `An invoice that is ${invoice.status} cannot be refunded.`));
  const asset = deps.catalog.require(invoice.price.asset);
  if (!invoice.sandbox && !deps.sendingChains.has(asset.chain))
    return err(payoutRejected('chain_not_sent_on', `This gateway cannot send on ${asset.chain}.`));
  const credited = creditOf(await repositories.ledger.entriesOf(invoice.id), asset.key);
  const part = partOf(credited, asset, input.amount);
  if (!part.ok) return part;
  const to = await destinationOf(deps, repositories, { invoice, asset, to: input.to });
  return to.ok ? ok({ invoice, asset, part: part.value, to: to.value }) : to;
}

/**
 * The refunded part: at most what was credited, and worth something. It takes its share of the
 * value, rounded up.
 */
function partOf(credited: Credit, asset: Asset, amount: Decimal | null): Result<Credit, AppError> {
  const units = amount === null ? credited.units : toUnits(amount, asset.decimals);
  if (units === null)
    return err(payoutRejected('amount', `${asset.key} has ${asset.decimals} decimals at most.`));
  if (units > credited.units) {
    const most = formatUnits(credited.units, asset.decimals);
    return err(
      payoutRejected(
        'amount',
        `The merchant was credited ${most} ${asset.key} for it, which is the most that can be refunded.`,
      ),
    );
  }
  const microUsd = units <= 0n ? 0n : mulDiv(credited.microUsd, units, credited.units, 'ceil');
  if (microUsd === 0n) {
    return err(payoutRejected('below_minimum', 'It is worth less than a millionth of a US dollar.'));
  }
  return ok({ units, microUsd });
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
        'It was paid from several addresses or an unknown one. Name the recipient with --to.',
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

/** The sum of an invoice's income entries, less their compensation. */
export function creditOf(entries: readonly NewEntry[], asset: string): Credit {
  let units = 0n;
  let microUsd = 0n;
  for (const { feed } of entries) {
    if (feed === null || feed.type === 'payout' || feed.asset !== asset) continue;
    const sign = feed.type === 'income' ? 1n : -1n;
    units += sign * feed.amountUnits;
    microUsd += sign * feed.microUsd;
  }
  return { units, microUsd };
}
