/**
 * Offers a refund: the customer gets a link, and says where the money goes (confirm-refund.ts).
 * Nothing is reserved before that.
 */
import { type AppError, appError, payoutRejected } from '../../../domain/errors.ts';
import { claimEnd, decideClaim, type RefundClaim } from '../../../domain/payouts/refund-claim.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { Scope } from '../../../ports/list-queries.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { Once } from '../../../ports/stored-answers.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { queueMail } from '../../mails/queue-mail.ts';
import { storeAnswer } from '../../shared/store-answer.ts';
import { runResult } from '../../shared/transaction-result.ts';
import { tellClaim } from './claim-events.ts';
import type { RefundOffer } from './refund-order.ts';
import {
  type Credit,
  partOf,
  type Refundable,
  type RefundableNeeds,
  refundableDeposit,
  refundableInvoice,
  unitsToRefund,
} from './refundable.ts';

type OfferNeeds = RefundableNeeds & Pick<AppDependencies, 'unitOfWork' | 'clock' | 'ids'>;

/**
 * Refused for what was not credited or was given back, and while another refund of it is open or on
 * its way.
 */
export function offerRefund(
  deps: OfferNeeds,
): (offer: RefundOffer, once?: Once<RefundClaim> | null) => Promise<Result<RefundClaim, AppError>> {
  return (offer, once = null) =>
    runResult(deps.unitOfWork, async (repositories) => {
      const found = await offered(deps, repositories, offer);
      if (!found.ok) return found;
      const { refundable, invoiceId, part } = found.value;
      const { merchantId, sandbox, asset } = refundable;
      const { subject } = offer.of;
      const at = deps.clock.now();
      const claim: RefundClaim = {
        id: deps.ids.id(),
        ...{ merchantId, sandbox, subject, invoiceId, asset: asset.key, units: part.units },
        depositId: offer.of.subject === 'deposit' ? offer.of.depositId : null,
        feeBearer: offer.feeBearer,
        onCheckout: offer.onCheckout,
        orderedBy: 'operator' in offer.by ? offer.by.operator : null,
        ...{ status: 'open', address: null, payoutId: null },
        ...{ expiresAt: claimEnd(at, offer.days), createdAt: at, updatedAt: at },
      };
      if (await repositories.refundClaims.isStanding(claim))
        return err(
          appError('INVALID_TRANSITION', 'A refund of it is offered already. Withdraw that one first.'),
        );
      await repositories.refundClaims.insert(claim);
      await tellClaim(deps, repositories, claim, null);
      if (offer.mails) await mailClaim(deps, repositories, claim);
      await storeAnswer(deps, repositories, { merchantId, sandbox }, once, claim);
      return ok(claim);
    });
}

/**
 * What the offered money was worth when it was credited, in micro-USD, in an open transaction; or
 * why it cannot be offered.
 */
export async function offerWorth(
  deps: OfferNeeds,
  repositories: Repositories,
  offer: Pick<RefundOffer, 'of' | 'by' | 'amount'>,
): Promise<Result<bigint, AppError>> {
  const found = await offered(deps, repositories, offer);
  return found.ok ? ok(found.value.part.microUsd) : found;
}

/** To the address that the invoice has of its customer, if any. */
async function mailClaim(deps: OfferNeeds, repositories: Repositories, claim: RefundClaim): Promise<void> {
  const { id: claimId, invoiceId } = claim;
  const invoice = invoiceId === null ? null : await repositories.invoices.find(invoiceId);
  if (invoice !== null) await queueMail(deps, repositories, invoice, { kind: 'refund', claimId });
}

/** What is offered, and of which invoice; or why it cannot be. */
async function offered(
  deps: OfferNeeds,
  repositories: Repositories,
  { of, by, amount }: Pick<RefundOffer, 'of' | 'by' | 'amount'>,
): Promise<Result<{ refundable: Refundable; invoiceId: string | null; part: Credit }, AppError>> {
  const found = await refundableOf(deps, repositories, { of, by });
  if (!found.ok) return found;
  const { refundable } = found.value;
  const units = unitsToRefund(refundable, { subject: of.subject, amount });
  const part = units.ok ? partOf(refundable, units.value) : units;
  return part.ok ? ok({ ...found.value, part: part.value }) : part;
}

async function refundableOf(
  deps: OfferNeeds,
  repositories: Repositories,
  { of, by }: Pick<RefundOffer, 'of' | 'by'>,
): Promise<Result<{ refundable: Refundable; invoiceId: string | null }, AppError>> {
  if (of.subject === 'deposit') {
    const refundable = await refundableDeposit(deps, repositories, of.depositId);
    if (!refundable.ok) return refundable;
    const invoiceId = await invoiceOfAddress(repositories, of.depositId, refundable.value);
    return ok({ refundable: refundable.value, invoiceId });
  }
  const { invoiceId } = of;
  if ('merchant' in by) {
    const invoice = await repositories.invoices.find(invoiceId);
    if (invoice?.merchantId !== by.merchant.merchantId || invoice.sandbox !== by.merchant.sandbox)
      return err(appError('NOT_FOUND', 'No such invoice.'));
  }
  const found = await refundableInvoice(deps, repositories, invoiceId);
  if (!found.ok) return found;
  return of.subject === 'surplus' && found.value.surplusUnits === 0n
    ? err(payoutRejected('refund_amount', 'Nothing was paid too much, or it was given back.'))
    : ok({ refundable: found.value, invoiceId });
}

/**
 * The invoice whose address the deposit was paid to; null for other addresses, and where it had
 * been removed. It cannot be removed meanwhile: something arrived at its address.
 */
async function invoiceOfAddress(
  { deposits, addresses, invoices }: Repositories,
  depositId: string,
  { asset }: Refundable,
): Promise<string | null> {
  const deposit = await deposits.lock(depositId);
  const [issued] = deposit === null ? [] : await addresses.find(asset.family, [deposit.address]);
  const invoice = issued?.invoiceId ? await invoices.find(issued.invoiceId) : null;
  return invoice?.id ?? null;
}

/** Ends an open claim. Refused once the customer has confirmed it, or it has ended. */
export function withdrawRefund(
  deps: OfferNeeds,
): (claimId: string, scope: Scope | null) => Promise<Result<RefundClaim, AppError>> {
  return (claimId, scope) =>
    deps.unitOfWork.run(async (repositories) => {
      const claim = await repositories.refundClaims.lock(claimId);
      const isTheirs =
        scope === null || (claim?.merchantId === scope.merchantId && claim.sandbox === scope.sandbox);
      if (claim === null || !isTheirs) return err(appError('NOT_FOUND', 'No such refund.'));
      const next = decideClaim(claim, { type: 'withdrawn', at: deps.clock.now() });
      if (next === null)
        return err(appError('INVALID_TRANSITION', `A refund that is ${claim.status} cannot be withdrawn.`));
      await repositories.refundClaims.save(next);
      await tellClaim(deps, repositories, next, null);
      return ok(next);
    });
}
