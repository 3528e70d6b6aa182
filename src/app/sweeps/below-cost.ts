/**
 * Money that lies where collecting it costs more than it brings, at usual fees: operators see how
 * much that is (safety.md G10).
 */
import { collectingUnits } from '../../domain/rates/collecting-units.ts';
import { fiatForUnits, priceE18 } from '../../domain/rates/rate.ts';
import type { BelowCost } from '../../ports/treasury/treasury-queries.ts';
import { scannedAssetsOf } from '../catalog/assets-of-chain.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { TreasuryChain } from './sweep-needs.ts';

export type BelowCostNeeds = Pick<
  AppDependencies,
  'treasuryQueries' | 'rateBook' | 'catalog' | 'unscannedAssets'
>;

/**
 * By asset of the chain, at the latest prices, however old; an asset without a price is left out.
 */
export async function belowCost(
  deps: BelowCostNeeds,
  { chain, sender }: Pick<TreasuryChain, 'chain' | 'sender'>,
): Promise<readonly (BelowCost & { readonly microUsd: bigint })[]> {
  const { catalog } = deps;
  const { rates } = deps.rateBook.latest();
  const native = catalog.require(sender.nativeAsset);
  const least = new Map<string, bigint>();
  for (const key of scannedAssetsOf(deps, chain)) {
    const units = collectingUnits(catalog.require(key), native, rates);
    if (units !== null && units > 0n) least.set(key, units);
  }
  const found = await deps.treasuryQueries.belowCost({ chain, utxos: sender.utxos !== null, least });
  return found.map((row) => {
    const asset = catalog.require(row.asset);
    return { ...row, microUsd: fiatForUnits(row.units, priceE18(rates, asset, 'USD') ?? 0n, asset, 'floor') };
  });
}
