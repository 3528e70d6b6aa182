/**
 * The VARY invoice that a payment to a permanent address opens (specification, "Permanent deposit
 * address").
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { floorToMinor } from '../../domain/catalog/fiat.ts';
import { type Invoice, NO_DETAILS } from '../../domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../../domain/invoices/permanent-address.ts';
import { fiatForUnits } from '../../domain/rates/rate.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';

/** It has to last until the payment is final: a day is the longest TTL of an invoice. */
const TTL_SECONDS = 86_400;

/**
 * Its amount is the payment, so that the payment covers it. The commission is deducted, because the
 * customer was quoted no fee.
 */
export async function openDepositInvoice(
  deps: Pick<AppDependencies, 'clock' | 'ids'>,
  repositories: Repositories,
  payment: { address: PermanentAddress; asset: Asset; units: bigint; priceE18: bigint },
): Promise<Invoice> {
  const { address, asset, units } = payment;
  const merchant = await repositories.merchants.find(address.merchantId);
  if (!merchant) throw new Error('a permanent address without its merchant');
  const createdAt = deps.clock.now();
  const invoice: Invoice = {
    id: deps.ids.id(),
    externalId: deps.ids.checkoutId(),
    merchantId: merchant.id,
    sandbox: address.sandbox,
    status: 'created',
    version: 0,
    billingType: 'VARY',
    tolerancePpm: 0n,
    acceptedUnits: null,
    toleranceGiven: false,
    price: { asset: asset.key, dueUnits: units, baseUnits: units, originalUnits: null, deferralUnits: 0n },
    funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n },
    expiresAt: new Date(createdAt.getTime() + TTL_SECONDS * 1000),
    processedAt: null,
    txid: null,
    addressFrom: null,
    fiatCurrency: 'USD',
    initialFiatMicros: floorToMinor(fiatForUnits(units, payment.priceE18, asset, 'floor'), 'USD'),
    feeBearer: 'merchant',
    commissionPpm: merchant.commissionPpm,
    priceModifierPpm: null,
    initialAsset: asset.key,
    addressTo: address.address,
    customerChooses: false,
    earlierChoices: [],
    acceptedCoins: null,
    excludedCoins: null,
    ...NO_DETAILS,
    metadata: address.metadata,
    notifyUrl: address.notifyUrl,
    webhookFormat: address.webhookFormat,
    permanentAddressId: address.id,
    bindsPermanentAddress: true,
    userId: address.userId,
    paymentLinkId: null,
    createdAt,
    updatedAt: null,
  };
  await repositories.invoices.insert(invoice);
  return invoice;
}
