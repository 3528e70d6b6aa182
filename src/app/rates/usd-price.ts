/** Prices in US dollars, as the rate book has them now. */
import type { Asset } from '../../domain/catalog/asset.ts';
import { priceE18 } from '../../domain/rates/rate.ts';
import type { AppDependencies } from '../dependencies.ts';

/**
 * The present price, or the last known one at any age: never for credits. Null before the first.
 */
export function usdPrice(
  deps: Pick<AppDependencies, 'rateBook'>,
  asset: Asset,
  sandbox: boolean,
): bigint | null {
  const rates = deps.rateBook.usable({ sandbox }) ?? deps.rateBook.latest().rates;
  return priceE18(rates, asset, 'USD');
}
