/**
 * Prices and the conversions between asset units, fiat micros and USD micros. Every conversion
 * names its rounding.
 */
import type { Asset, RateRule } from '../catalog/asset.ts';
import { type FiatCurrency, MICROS_PER_FIAT } from '../catalog/fiat.ts';
import { mulDiv, type Rounding, unitsOf } from '../money/decimal.ts';

/** 10^18: prices and fiat rates are integers scaled by it. */
export const RATE_DECIMALS = 18;
export const RATE_SCALE = 10n ** 18n;

/** Prices at one moment. An absent price is unknown. */
export interface Rates {
  /** USD per whole coin, x 10^18, by asset key. */
  readonly usdPerAssetE18: ReadonlyMap<string, bigint>;
  /** Units of the currency per USD, x 10^18; USD itself is 10^18. */
  readonly fiatPerUsdE18: ReadonlyMap<string, bigint>;
}

/**
 * USD per whole coin of each asset, x 10^18 (rounded down), by its ticker's quote or its peg.
 * Assets without a quote are left out.
 */
export function assetPrices(
  assets: readonly Pick<Asset, 'key' | 'rate'>[],
  usdPerTickerE18: ReadonlyMap<string, bigint>,
  fiatPerUsdE18: ReadonlyMap<string, bigint>,
): Map<string, bigint> {
  const prices = new Map<string, bigint>();
  for (const { key, rate } of assets) {
    const price = 'ticker' in rate ? usdPerTickerE18.get(rate.ticker) : pegged(rate, fiatPerUsdE18);
    if (price !== undefined) prices.set(key, price);
  }
  return prices;
}

function pegged(
  { currency, amount }: Extract<RateRule, { currency: unknown }>,
  fiatPerUsdE18: ReadonlyMap<string, bigint>,
): bigint | undefined {
  const perUsd = fiatPerUsdE18.get(currency);
  return perUsd && mulDiv(unitsOf(amount, RATE_DECIMALS), RATE_SCALE, perUsd, 'floor');
}

/** The price of a whole coin in `currency`, x 10^18 (rounded down); null if unknown. */
export function priceE18(rates: Rates, asset: Asset, currency: FiatCurrency): bigint | null {
  const usd = rates.usdPerAssetE18.get(asset.key);
  const fiat = rates.fiatPerUsdE18.get(currency);
  return usd === undefined || fiat === undefined ? null : mulDiv(usd, fiat, RATE_SCALE, 'floor');
}

/** Asset units that are worth `micros` of fiat at `price` (x 10^18 per whole coin). */
export function unitsForFiat(micros: bigint, price: bigint, asset: Asset, rounding: Rounding): bigint {
  return mulDiv(micros * 10n ** BigInt(asset.decimals), RATE_SCALE, MICROS_PER_FIAT * price, rounding);
}

/** Fiat micros that `units` are worth at `price` (x 10^18 per whole coin). */
export function fiatForUnits(units: bigint, price: bigint, asset: Asset, rounding: Rounding): bigint {
  return mulDiv(units * price, MICROS_PER_FIAT, 10n ** BigInt(asset.decimals) * RATE_SCALE, rounding);
}
