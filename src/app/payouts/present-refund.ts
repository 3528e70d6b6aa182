/** The public shape of a refund that a customer claims, used by answers and events. */
import type { AssetCatalog } from '../../domain/catalog/asset.ts';
import { exactNumber } from '../../domain/money/exact-number.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { RefundClaim } from '../../domain/payouts/refund-claim.ts';
import { unixSeconds } from '../invoices/present-invoice.ts';

/** `payout`: the one that pays it. */
export function presentClaim(claim: RefundClaim, payout: Payout | null, catalog: AssetCatalog) {
  const { decimals } = catalog.require(claim.asset);
  return {
    id: claim.id,
    order_id: claim.invoiceId,
    status: claim.status,
    subject: claim.subject,
    asset: claim.asset,
    amount: exactNumber(claim.units, decimals),
    fee_bearer: claim.feeBearer,
    amount_sent: payout === null ? null : exactNumber(payout.sentUnits, decimals),
    address: claim.address,
    txid: payout?.txid ?? null,
    on_checkout: claim.onCheckout,
    ordered_by: claim.orderedBy,
    expires_at: unixSeconds(claim.expiresAt),
    created_at: unixSeconds(claim.createdAt),
    updated_at: unixSeconds(claim.updatedAt),
  };
}
