/**
 * An operator's refund: a payout of kind `refund` to the invoice's payer, from the merchant's
 * balance. The same transaction makes the invoice `refunded`, once; a failed refund reverts both
 * (apply-payout-event.ts). No webhook.
 */

import { FIAT_DECIMALS } from '../../../domain/catalog/fiat.ts';
import { type AppError, appError, payoutRejected } from '../../../domain/errors.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { availableMicroUsd, refund } from '../../../domain/ledger.ts';
import { formatUnits } from '../../../domain/money/decimal.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { FeeQuote } from '../../../ports/rates/fee-quoter.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { applyEvents, type EventNeeds } from '../../invoices/invoice-events.ts';
import { runResult } from '../../shared/transaction-result.ts';
import { addRefund, type QuoteNeeds, refundCost, refundFee, refundPayout } from './refund-payout.ts';
import { type RefundOrder, refundTerms, type TermsNeeds } from './refund-terms.ts';
import { creditOf } from './refundable.ts';

export type RefundNeeds = EventNeeds & TermsNeeds & QuoteNeeds & Pick<AppDependencies, 'unitOfWork'>;

export interface Refunded {
  /** Its new state; in a trial run its present one. */
  readonly invoice: Invoice;
  readonly refund: Payout;
  /** The merchant's balance, in micro-USD. */
  readonly availableBeforeMicroUsd: bigint;
  readonly availableAfterMicroUsd: bigint;
}

/**
 * Refused for an invoice that is unpaid or was refunded before, for an invalid destination or
 * amount, and, unless forced, if it takes the merchant's balance below zero.
 */
export function refundInvoice(
  deps: RefundNeeds,
): (invoiceId: string, input: RefundOrder) => Promise<Result<Refunded, AppError>> {
  return async (invoiceId, input) => {
    const quoted = await quoteInvoiceRefund(deps)(invoiceId, input);
    return quoted.ok ? refundAsQuoted(deps)(invoiceId, input, quoted.value) : quoted;
  };
}

/** The transaction of a refund, without any network. Refused where the invoice has changed. */
export function refundAsQuoted(
  deps: RefundNeeds,
): (
  invoiceId: string,
  input: RefundOrder,
  quoted: InvoiceRefundQuote,
) => Promise<Result<Refunded, AppError>> {
  return (invoiceId, input, quoted) =>
    runResult(deps.unitOfWork, async (repositories) => {
      const asked = await refundTerms(deps, repositories, invoiceId, input);
      if (!asked.ok) return asked;
      const { invoice, asset, part, to } = asked.value;
      if (quoted.to !== to || quoted.units !== part.units)
        return err(appError('INVALID_TRANSITION', 'The invoice changed meanwhile. Try again.'));
      const { quote } = quoted;

      const { merchantId, sandbox } = invoice;
      const balance = await repositories.ledger.lockBalance(merchantId, sandbox);
      const before = availableMicroUsd(balance);
      const terms = { feeBearer: 'merchant', orderedBy: input.by } as const;
      const payout = refundPayout(deps, {
        ...{ merchantId, sandbox, invoiceId, refundClaimId: null, ...terms },
        ...{ asset: asset.key, address: to, part },
        cost: refundCost(part, terms, { quote, availableMicroUsd: before }),
      });
      const after = before - payout.reservedMicroUsd;
      if (after < 0n && input.force !== true) return err(belowZero(before, after));
      const told = { refund: payout, availableBeforeMicroUsd: before, availableAfterMicroUsd: after };
      if (input.dryRun === true) return ok({ invoice, ...told });
      await addRefund(deps, repositories, payout);
      const refunded = await applyEvents(deps, repositories, invoice, [
        { type: 'refunded', at: payout.createdAt },
      ]);
      return ok({ invoice: refunded, ...told });
    });
}

/** What a refund would send where, its fee, and what it was worth when it was credited. */
export interface InvoiceRefundQuote {
  readonly to: string;
  readonly units: bigint;
  readonly microUsd: bigint;
  readonly quote: FeeQuote;
}

/** Asks a node what the recipient costs. */
export function quoteInvoiceRefund(
  deps: RefundNeeds,
): (invoiceId: string, input: RefundOrder) => Promise<Result<InvoiceRefundQuote, AppError>> {
  return async (invoiceId, input) => {
    const asked = await deps.unitOfWork.run((repositories) =>
      refundTerms(deps, repositories, invoiceId, input),
    );
    if (!asked.ok) return asked;
    const { invoice, asset, part, to } = asked.value;
    const payment = { to, units: part.units };
    const quote = await refundFee(deps, invoice, { asset, ...payment });
    return quote.ok ? ok({ ...payment, microUsd: part.microUsd, quote: quote.value }) : quote;
  };
}

function belowZero(beforeMicroUsd: bigint, afterMicroUsd: bigint): AppError {
  const usd = (micros: bigint): string => formatUnits(micros, FIAT_DECIMALS);
  return payoutRejected(
    'insufficient_balance',
    `It takes the merchant's balance below zero, from ${usd(beforeMicroUsd)} to ${usd(afterMicroUsd)} USD. It is refunded only if that is allowed (force).`,
  );
}

/**
 * For the sandbox simulator: debits the merchant with the invoice's uncompensated income. Sends
 * nothing.
 */
export async function postRefund(
  deps: Pick<AppDependencies, 'clock' | 'ids'>,
  repositories: Repositories,
  invoice: Invoice,
): Promise<void> {
  if (invoice.price === null) throw new Error('an invoice without an asset was never paid');
  const credited = creditOf(await repositories.ledger.entriesOf(invoice.id), invoice.price.asset);
  // A credit of less than a millionth of a dollar leaves nothing to debit.
  if (credited.microUsd === 0n) return;
  await repositories.ledger.post({
    id: deps.ids.id(),
    merchantId: invoice.merchantId,
    sandbox: invoice.sandbox,
    kind: 'refund',
    referenceId: invoice.id,
    depositId: null,
    postings: refund(credited.microUsd),
    feed: {
      type: 'refund',
      asset: invoice.price.asset,
      amountUnits: credited.units,
      feeUnits: null,
      currency: invoice.fiatCurrency,
      microUsd: credited.microUsd,
      referenceId: invoice.id,
    },
    at: deps.clock.now(),
  });
}
