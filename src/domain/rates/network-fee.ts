/**
 * Network fees quoted to merchants where no node was asked: a flat USD figure per chain, set to
 * cover usual conditions.
 */
import type { Asset } from '../catalog/asset.ts';
import { chainNamed } from '../catalog/chain.ts';
import { FAMILY_ROWS } from '../catalog/family.ts';
import { FIAT_DECIMALS } from '../catalog/fiat.ts';
import { unitsOf } from '../money/decimal.ts';
import { priceE18, type Rates, unitsForFiat } from './rate.ts';

/**
 * The fee in micro-USD and in the asset's base units (rounded up). Null without a price. On tron
 * all of it pays for energy.
 */
export function flatNetworkFee(
  asset: Asset,
  rates: Rates,
): { feeUnits: bigint; feeMicroUsd: bigint; energyFeeMicroUsd: bigint | null } | null {
  const price = priceE18(rates, asset, 'USD');
  if (price === null || price <= 0n) return null;
  const feeMicroUsd = unitsOf(chainNamed(asset.chain).flatFeeUsd, FIAT_DECIMALS);
  return {
    feeMicroUsd,
    feeUnits: unitsForFiat(feeMicroUsd, price, asset, 'ceil'),
    energyFeeMicroUsd: FAMILY_ROWS[asset.family].energy ? feeMicroUsd : null,
  };
}
