/** What of an invoice's or a deposit's money can be given back. */
import type { Asset } from '../../../domain/catalog/asset.ts';
import { type AppError, appError, payoutRejected } from '../../../domain/errors.ts';
import { isRefundable } from '../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { type Decimal, formatUnits, mulDiv, toUnits } from '../../../domain/money/decimal.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import type { ClaimSubject } from '../../../domain/payouts/refund-claim.ts';
import { creditedSurplus } from '../../../domain/payouts/refund-claim.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { NewEntry } from '../../../ports/ledger-repository.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { cannotSend } from '../payout-destination.ts';

export type RefundableNeeds = Pick<AppDependencies, 'catalog' | 'sendingChains'>;

export interface Credit {
  /** Base units of the asset, and their value when they were credited. */
  readonly units: bigint;
  readonly microUsd: bigint;
}

export interface Refundable {
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly asset: Asset;
  /** What was credited and not given back yet. */
  readonly left: Credit;
}

export interface RefundableInvoice extends Refundable {
  readonly invoice: Invoice;
  /** The part of `left` that was paid too much. */
  readonly surplusUnits: bigint;
}

/** Locks the invoice. Refused while a refund of it is on its way, and once all was given back. */
export async function refundableInvoice(
  deps: RefundableNeeds,
  repositories: Repositories,
  invoiceId: string,
): Promise<Result<RefundableInvoice, AppError>> {
  const invoice = await repositories.invoices.lock(invoiceId);
  if (!invoice) return err(appError('NOT_FOUND', `No such invoice: ${invoiceId}`));
  const { merchantId, sandbox, price } = invoice;
  if (!isRefundable(invoice) || price === null)
    return err(appError('INVALID_TRANSITION', `An invoice that is ${invoice.status} cannot be refunded.`));
  const asset = deps.catalog.require(price.asset);
  const closed = cannotSend(deps, asset, sandbox);
  if (closed) return err(closed);
  const refunds = await repositories.payouts.standingRefunds(invoice.id);
  const credited = creditOf(await repositories.ledger.entriesOf(invoice.id), asset.key);
  const left = leftAfter(credited, refunds);
  if (left === null) return err(appError('INVALID_TRANSITION', 'A refund of this invoice is on its way.'));
  const surplus = creditedSurplus(invoice, credited.units) - (credited.units - left.units);
  const surplusUnits = surplus > 0n ? surplus : 0n;
  return ok({ merchantId, sandbox, asset, left, invoice, surplusUnits });
}

/** What the refunds leave of the credit; null while one of them is on its way. */
function leftAfter(credited: Credit, refunds: readonly Payout[]): Credit | null {
  if (refunds.some(({ status }) => status !== 'success')) return null;
  return refunds.reduce(
    ({ units, microUsd }, back) => ({
      units: units - back.amountUnits,
      microUsd: microUsd - back.amountMicroUsd,
    }),
    credited,
  );
}

/**
 * Locks the deposit, which must be credited and no invoice's. Refused while a refund of it is on
 * its way, and once all was given back.
 */
export async function refundableDeposit(
  deps: RefundableNeeds,
  repositories: Repositories,
  depositId: string,
): Promise<Result<Refundable, AppError>> {
  const deposit = await repositories.deposits.lock(depositId);
  if (!deposit) return err(appError('NOT_FOUND', `No such deposit: ${depositId}`));
  const { merchantId, sandbox, invoiceId, status } = deposit;
  if (status !== 'credited' || invoiceId !== null)
    return err(
      appError(
        'INVALID_TRANSITION',
        invoiceId === null
          ? `A deposit that is ${status} cannot be refunded.`
          : `The deposit belongs to invoice ${invoiceId}: refund that.`,
      ),
    );
  const asset = deps.catalog.require(deposit.asset);
  const closed = cannotSend(deps, asset, sandbox);
  if (closed) return err(closed);
  const refunds = await repositories.payouts.standingRefundsOfDeposit(depositId);
  const left = leftAfter(creditOf(await repositories.ledger.entriesOf(depositId), asset.key), refunds);
  if (left === null) return err(appError('INVALID_TRANSITION', 'A refund of this deposit is on its way.'));
  if (left.units <= 0n) return err(appError('INVALID_TRANSITION', 'All of this deposit was given back.'));
  return ok({ merchantId, sandbox, asset, left });
}

/** The given subject in full, or the amount of it, in base units. */
export function unitsToRefund(
  { asset, left, ...rest }: Refundable & { readonly surplusUnits?: bigint },
  { subject, amount }: { readonly subject: ClaimSubject; readonly amount: Decimal | null },
): Result<bigint, AppError> {
  const most = subject === 'surplus' ? (rest.surplusUnits ?? 0n) : left.units;
  const units = amount === null ? most : toUnits(amount, asset.decimals);
  if (units === null)
    return err(payoutRejected('refund_amount', `${asset.key} has ${asset.decimals} decimals at most.`));
  if (units > most) {
    const text = formatUnits(most, asset.decimals);
    return err(
      payoutRejected(
        'refund_amount',
        `The merchant was credited ${text} ${asset.key} for it, which is the most that can be refunded.`,
      ),
    );
  }
  return ok(units);
}

/** So many units with their share of the value, rounded up; refused if they are worth nothing. */
export function partOf({ left }: Refundable, units: bigint): Result<Credit, AppError> {
  const microUsd = units <= 0n ? 0n : mulDiv(left.microUsd, units, left.units, 'ceil');
  return microUsd > 0n
    ? ok({ units, microUsd })
    : err(payoutRejected('below_minimum', 'It is worth less than a millionth of a US dollar.'));
}

/** The sum of an invoice's or deposit's income entries, less their compensation. */
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
