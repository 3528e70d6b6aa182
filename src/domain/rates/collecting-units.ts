/** What collecting a deposit costs at present prices. */
import type { Asset } from '../catalog/asset.ts';
import { collectingCost } from '../catalog/collecting-cost.ts';
import { unitsOf } from '../money/decimal.ts';
import { fiatForUnits, priceE18, type Rates, unitsForFiat } from './rate.ts';

/**
 * Base units of the asset that are worth what collecting them costs at usual fees and these prices;
 * null without a price.
 */
export function collectingUnits(asset: Asset, native: Asset, rates: Rates): bigint | null {
  const cost = unitsOf(collectingCost(asset).amount, native.decimals);
  if (asset.key === native.key) return cost;
  const [price, nativePrice] = [priceE18(rates, asset, 'USD'), priceE18(rates, native, 'USD')];
  if (price === null || nativePrice === null || price <= 0n) return null;
  return unitsForFiat(fiatForUnits(cost, nativePrice, native, 'ceil'), price, asset, 'ceil');
}
