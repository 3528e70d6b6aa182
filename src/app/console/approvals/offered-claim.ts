/** Offering a refund in an open transaction, and what the page shows of it. */
import { type Approval, isAbove } from '../../../domain/accounts/approval.ts';
import { type AppError, appError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/money/json.ts';
import { err, ok } from '../../../domain/result.ts';
import { audited, idIn } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { claimUrl } from '../../payouts/refunds/claim-url.ts';
import { offerRefund, offerWorth } from '../../payouts/refunds/offer-refund.ts';
import type { RefundOffer } from '../../payouts/refunds/refund-order.ts';
import { joined } from '../../shared/joined.ts';
import type { Within } from './carry-out.ts';
import { textOf } from './order-payloads.ts';

type Approved = Pick<Approval, 'amountMicroUsd'>;

/** `approved`: what the offer was worth to whoever approved it; null: nobody had to. */
export function offerWithin(
  deps: AppDependencies,
  offer: RefundOffer,
  approved: Approved | null = null,
): Within {
  return async (repositories, actor) => {
    if (approved !== null) {
      const worth = await offerWorth(deps, repositories, offer);
      const refused = worth.ok ? grownFault(approved, worth.value) : worth.error;
      if (refused !== null) return err(refused);
    }
    const action = {
      action: 'refund.offered',
      subject: 'refund',
      subjectId: null,
      merchantId: null,
    } as const;
    const within = audited(joined(deps, repositories), actor, action, { subjectOf: idIn() });
    const claim = await offerRefund(within)(offer);
    return claim.ok ? ok({ claim_id: claim.value.id }) : claim;
  };
}

/** A refund of all that was paid is worth more once more was paid; nobody agreed to that. */
export function grownFault({ amountMicroUsd }: Approved, nowMicroUsd: bigint): AppError | null {
  if (!isAbove(nowMicroUsd, amountMicroUsd)) return null;
  const message = 'More was paid meanwhile: it is worth more than what was approved. Order it again.';
  return appError('INVALID_TRANSITION', message);
}

export async function offeredClaim(deps: AppDependencies, made: JsonObject) {
  const id = textOf(made, 'claim_id');
  const found = await deps.queries.anyRefundClaim(id);
  if (found === null) throw new Error(`a claim that was offered is not there: ${id}`);
  return { claim: found.claim, url: claimUrl(deps, id) };
}
