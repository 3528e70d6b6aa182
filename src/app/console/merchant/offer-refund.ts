/**
 * A refund that a merchant's user offers. Above what the user may offer within a day, or above the
 * merchant's limit, it waits for a second person.
 */
import { isAbove } from '../../../domain/accounts/approval.ts';
import { type AppError, appError } from '../../../domain/errors.ts';
import { isClaimable, type RefundClaim } from '../../../domain/payouts/refund-claim.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { runAudited } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { claimUrl } from '../../payouts/refunds/claim-url.ts';
import { offerWorth, withdrawRefund } from '../../payouts/refunds/offer-refund.ts';
import { runResult } from '../../shared/transaction-result.ts';
import type { Carrier } from '../approvals/carry-out.ts';
import { offeredClaim, offerWithin } from '../approvals/offered-claim.ts';
import { offerJson, offerOf } from '../approvals/order-payloads.ts';
import { orderWithin } from '../approvals/order-within.ts';
import { ordered } from '../approvals/ordered.ts';
import type { Desk, MerchantDesk } from '../merchant-desk.ts';
import { actionAt, auditedAt, requesterAt } from './desk-parts.ts';

export function offerRefundAt(deps: AppDependencies): MerchantDesk['offerRefund'] {
  return async (by, offer, formId) => {
    // An unmatched deposit is the operator's to give back.
    if (offer.of.subject === 'deposit') return err(appError('NOT_FOUND', 'No such invoice.'));
    const { scope } = by.caller;
    const order = offerJson(offer);
    const stored = await orderWithin(deps)({
      by: requesterAt(by),
      wanted: {
        ...{ kind: 'refund_offer', order, formId, sandbox: scope.sandbox },
        worth: (repositories) => offerWorth(deps, repositories, { ...offer, by: { merchant: scope } }),
      },
      terms: { operatorLimitMicroUsd: null, refundLimitMicroUsd: by.refundLimitMicroUsd },
      begin: async () => ok(offerWithin(deps, { ...offer, by: { merchant: scope } })),
    });
    return stored.ok ? ordered(stored.value, (made) => offeredClaim(deps, made)) : stored;
  };
}

export function withdrawRefundAt(deps: AppDependencies): MerchantDesk['withdrawRefund'] {
  return (by, claimId) => {
    const action = { action: 'refund.withdrawn', subject: 'refund', subjectId: claimId } as const;
    return withdrawRefund(auditedAt(deps, by, action))(claimId, by.caller.scope);
  };
}

/**
 * Whoever has the link can take the money. So a limit of what a user offers is one of what the user
 * is shown, too: also where somebody else offered it.
 */
export function showRefundLinkAt(deps: AppDependencies): MerchantDesk['showRefundLink'] {
  return (by, claimId) => {
    const action = { action: 'refund.link_shown', subject: 'refund', subjectId: claimId } as const;
    return runAudited(deps, by.actor, actionAt(by, action), (on) =>
      runResult(on.unitOfWork, async (repositories) => {
        const claim = await repositories.refundClaims.find(claimId);
        const { merchantId, sandbox } = by.caller.scope;
        if (claim?.merchantId !== merchantId || claim.sandbox !== sandbox)
          return err(appError('NOT_FOUND', 'No such refund.'));
        if (!isClaimable(claim, deps.clock.now()))
          return err(appError('INVALID_TRANSITION', 'The refund does not wait for the customer any more.'));
        const worth = await worthOf(on, repositories, by, claim);
        if (!worth.ok) return worth;
        return isAbove(worth.value, by.refundLimitMicroUsd)
          ? err(
              appError(
                'INVALID_TRANSITION',
                'It is above your limit of refunds. Somebody else passes its link on.',
              ),
            )
          : ok({ claim, url: claimUrl(deps, claimId) });
      }),
    );
  };
}

/** Null for a user without a limit: it is not needed. */
async function worthOf(
  deps: AppDependencies,
  repositories: Repositories,
  { refundLimitMicroUsd, caller: { scope } }: Desk,
  { subject, invoiceId, depositId, asset, units }: RefundClaim,
): Promise<Result<bigint | null, AppError>> {
  if (refundLimitMicroUsd === null) return ok(null);
  const of =
    subject === 'deposit' ? { subject, depositId: depositId ?? '' } : { subject, invoiceId: invoiceId ?? '' };
  const amount = { digits: units, scale: deps.catalog.require(asset).decimals };
  return offerWorth(deps, repositories, { of, amount, by: { merchant: scope } });
}

/** Carries out an offer that a second person approved. */
export function offerCarrier(deps: AppDependencies): Carrier {
  return {
    async begin(approved) {
      const { order, merchantId, sandbox } = approved;
      if (merchantId === null || sandbox === null) throw new Error('a refund of no environment');
      return ok(
        offerWithin(deps, { ...offerOf(order), by: { merchant: { merchantId, sandbox } } }, approved),
      );
    },
  };
}
