/**
 * The value and price of an invoice, from rates in memory. An amount below a minimum is refused.
 */
import { type Asset, leastInvoiceMicroUsd } from '../../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../domain/catalog/fiat.ts';
import { type AppError, invoiceRejected, ratesUnavailable } from '../../domain/errors.ts';
import type { InvoicePrice } from '../../domain/invoices/invoice.ts';
import {
  initialFiatMicros,
  type PricingRequest,
  type RequestedAmount,
  termsIn,
} from '../../domain/invoices/invoice-terms.ts';
import { formatUnits, roundToDisplay, toUnits } from '../../domain/money/decimal.ts';
import { exactNumber } from '../../domain/money/exact-number.ts';
import { DEFAULT_COMMISSION_PPM } from '../../domain/money/fee.ts';
import { fiatForUnits, priceE18, type Rates, unitsForFiat } from '../../domain/rates/rate.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { CreateInvoiceInput } from '../application.ts';
import type { Caller } from '../caller.ts';
import { payableAssets } from '../catalog/asset-access.ts';
import type { AppDependencies } from '../dependencies.ts';
import { assetChoiceOf } from './check-requested-asset.ts';

/** An invoice's price and value; the price is null until the customer has chosen an asset. */
export interface Quote {
  readonly pricing: InvoicePricing;
  readonly fiatMicros: bigint;
  readonly price: InvoicePrice | null;
}

/**
 * From rates in memory; refuses an amount below the minimum of the asset, or of every possible
 * asset.
 */
export function quoteFor(
  deps: AppDependencies,
  caller: Caller,
  input: CreateInvoiceInput,
): Result<Quote, AppError> {
  const pricing = pricingOf(caller, input);
  const rates = ratesFor(deps, pricing.sandbox, pricing.requested);
  const fiatMicros = rates && initialFiatMicros(pricing, input.asset, rates);
  if (rates === null || fiatMicros === null) return err(ratesUnavailable());
  if (input.asset === null) {
    const unpayable = payableInNone(deps, { input, pricing, rates });
    return unpayable ? err(unpayable) : ok({ pricing, fiatMicros, price: null });
  }
  const price = priceIn(input.asset, pricing, rates);
  return price.ok ? ok({ pricing, fiatMicros, price: price.value }) : price;
}

/** The requested amount with its environment, because minimums differ. */
export type InvoicePricing = PricingRequest & { readonly sandbox: boolean };

/** The caller's commission and defaults, and the amount in its own currency. */
function pricingOf(caller: Caller, input: CreateInvoiceInput): InvoicePricing {
  return {
    sandbox: caller.scope.sandbox,
    requested: requestedAmount(input),
    fiatCurrency: input.fiatCurrency ?? 'USD',
    priceModifierPpm: input.priceModifierPpm,
    feeBearer: input.feeBearer ?? caller.merchant.defaultFeeBearer,
    commissionPpm: caller.merchant.commissionPpm ?? DEFAULT_COMMISSION_PPM,
  };
}

function requestedAmount(input: CreateInvoiceInput): RequestedAmount {
  const inAsset = input.fiatCurrency === null && input.asset !== null;
  const units = toUnits(input.amount, inAsset ? (input.asset?.decimals ?? 0) : FIAT_DECIMALS);
  if (units === null)
    throw new Error('the amount has more decimals than its currency: validation let it through');
  return inAsset ? { in: 'asset', units } : { in: 'fiat', micros: units };
}

/**
 * A fiat price needs a fresh rate; for an amount in the asset a rate only gives its informational
 * value (decision 0005).
 */
function ratesFor(deps: AppDependencies, sandbox: boolean, requested: RequestedAmount): Rates | null {
  const usable = deps.rateBook.usable({ sandbox });
  if (usable !== null || requested.in === 'fiat') return usable;
  return deps.rateBook.latest().rates;
}

/** Prices an invoice in its asset; refuses an amount below the asset's minimum. */
export function priceIn(asset: Asset, pricing: InvoicePricing, rates: Rates): Result<InvoicePrice, AppError> {
  const terms = termsIn(asset, pricing, rates);
  const usd = priceE18(rates, asset, 'USD');
  if (terms === null || usd === null) return err(ratesUnavailable());
  const leastMicroUsd = leastInvoiceMicroUsd(asset, pricing.sandbox);
  if (terms.dueUnits <= 0n || fiatForUnits(terms.dueUnits, usd, asset, 'ceil') < leastMicroUsd) {
    const leastUnits = roundToDisplay(unitsForFiat(leastMicroUsd, usd, asset, 'ceil'), asset, 'ceil');
    const least = formatUnits(leastUnits, asset.decimals);
    return err(
      invoiceRejected(
        'below_minimum',
        `The amount is below the minimum of ${asset.key}, which is ${least}.`,
        { asset: asset.key, min_amount: exactNumber(leastUnits, asset.decimals) },
      ),
    );
  }
  return ok({ asset: asset.key, ...terms });
}

/**
 * Without an asset the amount due must reach the minimum of at least one that the customer may
 * choose.
 */
function payableInNone(
  deps: AppDependencies,
  request: { input: CreateInvoiceInput; pricing: InvoicePricing; rates: Rates },
): AppError | null {
  const { input, pricing, rates } = request;
  const payable = payableAssets(deps, assetChoiceOf(input, pricing.sandbox));
  let unpriced = false;
  for (const asset of payable) {
    const price = priceIn(asset, pricing, rates);
    if (price.ok) return null;
    unpriced ||= price.error.code === 'RATES_UNAVAILABLE';
  }
  return unpriced
    ? ratesUnavailable()
    : invoiceRejected('below_minimum', 'The amount is below the minimum of every accepted asset.');
}
