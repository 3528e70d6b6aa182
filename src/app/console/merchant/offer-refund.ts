/**
 * A refund that a merchant's user offers. Above the user's own limit, or the merchant's, it waits
 * for a second person.
 */
import { isAbove } from '../../../domain/accounts/approval.ts';
import { appError } from '../../../domain/errors.ts';
import { err, ok } from '../../../domain/result.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { offerWorth, withdrawRefund } from '../../payouts/refunds/offer-refund.ts';
import type { Carrier, Order } from '../approvals/carry-out.ts';
import { offeredClaim, offerWithin } from '../approvals/offered-claim.ts';
import { offerJson, offerOf } from '../approvals/order-payloads.ts';
import { orderWithin } from '../approvals/order-within.ts';
import { ordered } from '../approvals/ordered.ts';
import type { MerchantDesk } from '../merchant-desk.ts';
import { auditedAt, requesterAt } from './desk-parts.ts';

export function offerRefundAt(deps: AppDependencies): MerchantDesk['offerRefund'] {
  return async (by, offer, formId) => {
    // An unmatched deposit is the operator's to give back.
    if (offer.of.subject === 'deposit') return err(appError('NOT_FOUND', 'No such invoice.'));
    const { scope } = by.caller;
    const order = { order: offerJson(offer), ...scope, requestedByName: by.actor.name };
    const stored = await orderWithin(deps)({
      by: requesterAt(by),
      wanted: { kind: 'refund_offer', order: order.order, formId, sandbox: scope.sandbox },
      worth: (repositories) => offerWorth(deps, repositories, { ...offer, by: { merchant: scope } }),
      terms: (worth) => ({
        operatorLimitMicroUsd: null,
        waits: () => isAbove(worth, by.refundLimitMicroUsd),
      }),
      begin: async () => ok(offerAt(deps, order)),
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

/** Carries out an offer that a second person approved. */
export function offerCarrier(deps: AppDependencies): Carrier {
  return { begin: async (order) => ok(offerAt(deps, order)) };
}

function offerAt(deps: AppDependencies, { order, merchantId, sandbox }: Order) {
  if (merchantId === null || sandbox === null) throw new Error('a refund of no environment');
  return offerWithin(deps, { ...offerOf(order), by: { merchant: { merchantId, sandbox } } });
}
