/** Offering a refund in an open transaction, and what the page shows of it. */
import type { JsonObject } from '../../../domain/money/json.ts';
import { ok } from '../../../domain/result.ts';
import { audited, idIn } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { claimUrl } from '../../payouts/refunds/claim-url.ts';
import { offerRefund } from '../../payouts/refunds/offer-refund.ts';
import type { RefundOffer } from '../../payouts/refunds/refund-order.ts';
import { joined } from '../../shared/joined.ts';

import type { Within } from './carry-out.ts';
import { textOf } from './order-payloads.ts';

export function offerWithin(deps: AppDependencies, offer: RefundOffer): Within {
  return async (repositories, actor) => {
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

export async function offeredClaim(deps: AppDependencies, made: JsonObject) {
  const id = textOf(made, 'claim_id');
  const found = await deps.queries.anyRefundClaim(id);
  if (found === null) throw new Error(`a claim that was offered is not there: ${id}`);
  return { claim: found.claim, url: claimUrl(deps, id) };
}
