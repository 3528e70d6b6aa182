/** How each kind of the operators' orders is carried out. */
import type { OperatorApprovalKind } from '../../../domain/accounts/approval.ts';
import type { Carrier } from '../approvals/carry-out.ts';
import { releaseCarrier, restoredCarrier } from './payouts.ts';
import { operatorOfferCarrier, refundCarrier } from './refunds.ts';
import type { OperatorParts } from './seat-parts.ts';
import { capitalCarrier } from './treasury.ts';

export function operatorCarriers(parts: OperatorParts): Readonly<Record<OperatorApprovalKind, Carrier>> {
  const { deps } = parts;
  return {
    payout_release: releaseCarrier(deps),
    restored_release: restoredCarrier(deps),
    operator_refund_offer: operatorOfferCarrier(deps),
    operator_refund: refundCarrier(deps),
    capital_booking: capitalCarrier(parts),
  };
}
