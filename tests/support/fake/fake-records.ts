/** Makes the records of the in-memory application: invoices with their price, at fixed rates. */
import type { CreateInvoiceInput } from '../../../src/app/application.ts';
import type { Caller } from '../../../src/app/caller.ts';
import { type Asset, AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { FIAT_CURRENCIES, FIAT_DECIMALS } from '../../../src/domain/catalog/fiat.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import {
  initialFiatMicros,
  type RequestedAmount,
  termsIn,
} from '../../../src/domain/invoices/invoice-terms.ts';
import { toUnits } from '../../../src/domain/money/decimal.ts';
import { RATE_SCALE, type Rates } from '../../../src/domain/rates/rate.ts';

/** Tokens cost 1 USD, coins 250, and a EUR 1.11 USD; other currencies are worth a USD. */
export const FIXED_RATES: Rates = {
  usdPerAssetE18: new Map(
    new AssetCatalog().all.map((asset) => [asset.key, (asset.type === 'token' ? 1n : 250n) * RATE_SCALE]),
  ),
  fiatPerUsdE18: new Map(
    FIAT_CURRENCIES.map((code) => [code, code === 'EUR' ? (RATE_SCALE * 9n) / 10n : RATE_SCALE]),
  ),
};

export interface NewRecord {
  readonly id: string;
  readonly externalId: string;
  readonly now: Date;
}

/** Null when a rate is not known. */
export function newInvoice(
  caller: Caller,
  input: CreateInvoiceInput,
  record: NewRecord,
  rates: Rates,
): Invoice | null {
  const fiatCurrency = input.fiatCurrency ?? 'USD';
  const inAsset = input.fiatCurrency === null && input.asset !== null;
  const decimals = inAsset && input.asset ? input.asset.decimals : FIAT_DECIMALS;
  const amount = toUnits(input.amount, decimals) ?? 0n;
  const requested: RequestedAmount = inAsset
    ? { in: 'asset', units: amount }
    : { in: 'fiat', micros: amount };
  const terms = {
    requested,
    fiatCurrency,
    priceModifierPpm: input.priceModifierPpm,
    feeBearer: input.feeBearer ?? caller.merchant.defaultFeeBearer,
    commissionPpm: caller.merchant.commissionPpm,
  };
  const micros = initialFiatMicros(terms, input.asset, rates);
  if (micros === null) return null;
  const invoice: Invoice = {
    id: record.id,
    externalId: record.externalId,
    ...caller.scope,
    fiatCurrency,
    initialFiatMicros: micros,
    feeBearer: terms.feeBearer,
    commissionPpm: terms.commissionPpm,
    priceModifierPpm: input.priceModifierPpm,
    initialAsset: null,
    addressTo: null,
    customerChooses: input.asset === null || (input.acceptedCoins ?? []).length > 0,
    earlierChoices: [],
    acceptedCoins: input.acceptedCoins,
    excludedCoins: input.excludedCoins,
    ...input.details,
    webhookFormat: 'native_v2',
    permanentAddressId: null,
    bindsPermanentAddress: input.permanentAddress,
    userId: input.userId,
    paymentLinkId: input.paymentLinkId ?? null,
    acceptedUnits: null,
    toleranceGiven: input.tolerancePpm !== null,
    createdAt: record.now,
    updatedAt: null,
    status: 'created',
    version: 0,
    billingType: input.billingType ?? 'STATIC',
    tolerancePpm: input.tolerancePpm ?? 0n,
    price: null,
    funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n },
    expiresAt: new Date(record.now.getTime() + (input.ttlSeconds ?? 3_600) * 1000),
    processedAt: null,
    txid: null,
    addressFrom: null,
  };
  return input.asset === null ? invoice : priced(invoice, input.asset, rates, requested);
}

/** The invoice with its price and address in `asset`; null when a rate is not known. */
export function priced(
  invoice: Invoice,
  asset: Asset,
  rates: Rates,
  requested: RequestedAmount = { in: 'fiat', micros: invoice.initialFiatMicros },
): Invoice | null {
  const terms = termsIn(asset, { ...invoice, requested }, rates);
  if (!terms) return null;
  return {
    ...invoice,
    price: { asset: asset.key, ...terms },
    initialAsset: invoice.initialAsset ?? asset.key,
    addressTo:
      asset.family === 'evm'
        ? '0x52908400098527886E0F7030069857D2E4169EE7'
        : `${asset.family}-address-${invoice.id.replace(/^0+/, '')}`,
  };
}

/** Base units that a simulated status pays of `dueUnits`. */
export function paidUnits(dueUnits: bigint, status: string): bigint {
  if (status === 'expired' || status === 'failed') return 0n;
  if (status === 'partially_paid' || status === 'cancelled') return dueUnits / 2n;
  return status === 'paid_over' ? (dueUnits * 5n) / 4n : dueUnits;
}
