/**
 * The public shape of an invoice (specification, "Invoice"), used by the API's responses and by
 * webhooks.
 */
import type { AssetCatalog } from '../../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../domain/catalog/fiat.ts';
import { lastChange } from '../../domain/chains/last-change.ts';
import { receivedUnits } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { paidFiatMicros } from '../../domain/invoices/itemised-price.ts';
import { type ExactNumber, exactNumber } from '../../domain/money/exact-number.ts';
import { PERCENT_DECIMALS } from '../../domain/money/fee.ts';
import type { AddressParts } from '../../ports/chains/address-deriver.ts';
import type { PartsOf } from './addresses/address-parts.ts';

export interface InvoiceView {
  readonly [field: string]: unknown;
}

/** The two parts of an address that combines them (XRP); null twice for any other address. */
export function presentParts(parts: AddressParts | null): InvoiceView {
  return { address_classic: parts?.account ?? null, address_tag: parts?.tag ?? null };
}

/** Seconds since 1970, as in every public timestamp (specification, "Conventions" 4). */
export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

function percent(ppm: bigint | null): ExactNumber | null {
  return ppm === null ? null : exactNumber(ppm, PERCENT_DECIMALS);
}

/**
 * Only the response of a creation and webhooks contain `externalId`; reads omit it (decision 0002).
 */
export function presentInvoice(
  invoice: Invoice,
  context: { catalog: AssetCatalog; checkoutUrl: string; partsOf: PartsOf; showExternalId: boolean },
): InvoiceView {
  const asset = invoice.price === null ? null : context.catalog.require(invoice.price.asset);
  const address = presentParts(
    asset === null || invoice.addressTo === null ? null : context.partsOf(asset.family, invoice.addressTo),
  );
  const inAsset = (units: bigint | null | undefined): ExactNumber | null =>
    asset === null || units === null || units === undefined ? null : exactNumber(units, asset.decimals);
  const fiat = (micros: bigint): ExactNumber => exactNumber(micros, FIAT_DECIMALS);
  const paid = paidFiatMicros(invoice, {
    currency: invoice.fiatCurrency,
    initialMicros: invoice.initialFiatMicros,
  });
  return {
    order_id: invoice.id,
    external_id: context.showExternalId ? invoice.externalId : null,
    status: invoice.status,
    asset: invoice.price?.asset ?? null,
    initial_asset: invoice.initialAsset,
    type: asset?.type ?? null,
    amount: inAsset(invoice.price?.dueUnits),
    initial_amount: inAsset(invoice.price?.dueUnits),
    fiat_amount: fiat(paid),
    initial_fiat_amount: fiat(invoice.initialFiatMicros),
    fiat_currency: invoice.fiatCurrency,
    billing_type: invoice.billingType,
    address_to: invoice.addressTo,
    ...address,
    address_from: invoice.addressFrom,
    extra: invoice.extra,
    title: invoice.title,
    description: invoice.description,
    expires_at: unixSeconds(invoice.expiresAt),
    metadata: invoice.metadata,
    fee_bearer: invoice.feeBearer,
    underpay_tolerance: percent(invoice.toleranceGiven ? invoice.tolerancePpm : null),
    accepted_coins: invoice.acceptedCoins,
    excluded_coins: invoice.excludedCoins,
    on_paid_url: invoice.onPaidUrl,
    on_cancel_url: invoice.onCancelUrl,
    notify_url: invoice.notifyUrl,
    price_modifier: percent(invoice.priceModifierPpm),
    original_amount: inAsset(invoice.price?.originalUnits),
    payer_info: invoice.payerInfo,
    permanent_address_id: invoice.permanentAddressId,
    user_id: invoice.userId,
    payment_link_id: invoice.paymentLinkId,
    received_amount:
      asset === null ? exactNumber(0n, 0) : exactNumber(receivedUnits(invoice.funds), asset.decimals),
    txid: invoice.txid,
    created_at: unixSeconds(invoice.createdAt),
    updated_at: unixSeconds(lastChange(invoice)),
    processed_at: invoice.processedAt === null ? null : unixSeconds(invoice.processedAt),
    payment_url: `${context.checkoutUrl}/checkout/${invoice.externalId}`,
  };
}
