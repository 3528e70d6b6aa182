/**
 * The public shape of a payout (specification, "Payout"), used by the API's responses and by
 * webhooks.
 */
import type { AssetCatalog } from '../../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../domain/catalog/fiat.ts';
import { lastChange } from '../../domain/chains/last-change.ts';
import { exactNumber } from '../../domain/money/exact-number.ts';
import { type Payout, shownFee } from '../../domain/payouts/payout-record.ts';
import { unixSeconds } from '../invoices/present-invoice.ts';

export interface PayoutView {
  readonly [field: string]: unknown;
}

export function presentPayout(payout: Payout, catalog: AssetCatalog): PayoutView {
  const { decimals } = catalog.require(payout.asset);
  const usd = (micros: bigint) => exactNumber(micros, FIAT_DECIMALS);
  const fee = shownFee(payout);
  return {
    order_id: payout.id,
    address: payout.address,
    amount: exactNumber(payout.amountUnits, decimals),
    currency: payout.asset,
    fee: exactNumber(fee.units, decimals),
    fee_usd: usd(fee.microUsd),
    energy_fee_usd: fee.energyMicroUsd === null ? null : usd(fee.energyMicroUsd),
    fee_bearer: payout.feeBearer,
    fiat_amount_usd: usd(payout.amountMicroUsd),
    ref: payout.ref,
    status: payout.status,
    created_at: unixSeconds(payout.createdAt),
    updated_at: unixSeconds(lastChange(payout)),
    processed_at: payout.processedAt === null ? null : unixSeconds(payout.processedAt),
    txid: payout.txid,
    tx_hashes: payout.txHashes.length === 0 ? null : payout.txHashes,
  };
}
