/** How each kind of a merchant's orders is carried out. */
import type { MerchantApprovalKind } from '../../../domain/accounts/approval.ts';
import type { Application } from '../../application.ts';
import type { AppDependencies } from '../../dependencies.ts';
import type { Carrier } from '../approvals/carry-out.ts';
import { batchCarrier, payoutCarrier } from './carry-out-payouts.ts';
import { offerCarrier } from './offer-refund.ts';
import { changeCarrier } from './settings.ts';

export function merchantCarriers(
  deps: AppDependencies,
  application: Application,
): Readonly<Record<MerchantApprovalKind, Carrier>> {
  return {
    payout: payoutCarrier(deps, application),
    payout_batch: batchCarrier(deps, application),
    refund_offer: offerCarrier(deps),
    approval_limit: changeCarrier(deps, 'approval_limit'),
    allowed_subnets: changeCarrier(deps, 'allowed_subnets'),
  };
}
