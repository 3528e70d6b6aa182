/**
 * From the requested amount to what the customer owes: modifier, commission, rounding (decision
 * 0006).
 */
import type { Asset } from '../catalog/asset.ts';
import { ceilToMinor, type FiatCurrency, floorToMinor } from '../catalog/fiat.ts';
import { mulDiv, roundToDisplay } from '../money/decimal.ts';
import { amountDue, type FeeBearer, PPM } from '../money/fee.ts';
import { fiatForUnits, priceE18, type Rates, unitsForFiat } from '../rates/rate.ts';

/** The requested amount: in fiat micros, or in base units of the invoice's asset. */
export type RequestedAmount =
  | { readonly in: 'fiat'; readonly micros: bigint }
  | { readonly in: 'asset'; readonly units: bigint };

export interface PricingRequest {
  readonly requested: RequestedAmount;
  readonly fiatCurrency: FiatCurrency;
  /** -90 % to 90 % as ppm, or null when the merchant gave none. */
  readonly priceModifierPpm: bigint | null;
  readonly feeBearer: FeeBearer;
  readonly commissionPpm: bigint;
}

/** Fixed once an invoice has its asset. All in base units of the asset. */
export interface AssetTerms {
  /** What the customer owes, everything included. */
  readonly dueUnits: bigint;
  /** The price before a commission that the customer pays on top. */
  readonly baseUnits: bigint;
  /** The amount before the price modifier, or null without one. */
  readonly originalUnits: bigint | null;
  /**
   * Payments below this in total that do not cover the invoice are deferred (specification, "States
   * and transitions").
   */
  readonly deferralUnits: bigint;
}

/** Payments worth less in total are not credited (decision 0006). */
export const DEFERRAL_MICRO_USD = 2_000_000n;

/** Prices a request in `asset`. Null if a rate is missing. */
export function termsIn(asset: Asset, request: PricingRequest, rates: Rates): AssetTerms | null {
  const usdPrice = priceE18(rates, asset, 'USD');
  if (usdPrice === null || usdPrice <= 0n) return null;
  const requestedUnits = unitsRequested(asset, request, rates);
  if (requestedUnits === null) return null;
  const modifier = request.priceModifierPpm;
  const baseUnits =
    modifier === null ? requestedUnits : rounded(mulDiv(requestedUnits, PPM + modifier, PPM, 'ceil'), asset);
  const due = amountDue(baseUnits, { bearer: request.feeBearer, commissionPpm: request.commissionPpm });
  return {
    baseUnits,
    // only computed amounts are rounded: one given in the asset keeps its digits
    dueUnits: due === baseUnits ? baseUnits : rounded(due, asset),
    originalUnits: modifier === null ? null : requestedUnits,
    deferralUnits: unitsForFiat(DEFERRAL_MICRO_USD, usdPrice, asset, 'ceil'),
  };
}

/**
 * initial_fiat_amount: the requested amount, converted if it was given in the asset. Null without a
 * rate.
 */
export function initialFiatMicros(request: PricingRequest, asset: Asset | null, rates: Rates): bigint | null {
  if (request.requested.in === 'fiat') return request.requested.micros;
  if (asset === null) return null;
  const price = priceE18(rates, asset, request.fiatCurrency);
  if (price === null) return null;
  return floorToMinor(fiatForUnits(request.requested.units, price, asset, 'floor'), request.fiatCurrency);
}

/**
 * For people: what the customer owes in the invoice's currency, all included, rounded up to its
 * minor unit.
 */
export function dueFiatMicros(
  invoice: Omit<PricingRequest, 'requested'> & { readonly initialFiatMicros: bigint },
): bigint {
  const base = mulDiv(invoice.initialFiatMicros, PPM + (invoice.priceModifierPpm ?? 0n), PPM, 'ceil');
  const due = amountDue(base, { bearer: invoice.feeBearer, commissionPpm: invoice.commissionPpm });
  return ceilToMinor(due, invoice.fiatCurrency);
}

function unitsRequested(asset: Asset, request: PricingRequest, rates: Rates): bigint | null {
  if (request.requested.in === 'asset') return request.requested.units;
  const price = priceE18(rates, asset, request.fiatCurrency);
  if (price === null || price <= 0n) return null;
  return rounded(unitsForFiat(request.requested.micros, price, asset, 'ceil'), asset);
}

/** Amounts computed by the gateway are rounded up to the display precision. */
function rounded(units: bigint, asset: Asset): bigint {
  return roundToDisplay(units, asset, 'ceil');
}
