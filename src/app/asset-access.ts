/** Which assets may be used where: switched on, on a watched chain, and allowed by the invoice. */
import type { Asset } from '../domain/asset.ts';
import type { AppDependencies } from './dependencies.ts';

type Needs = Pick<
  AppDependencies,
  'catalog' | 'watchedChains' | 'unscannedAssets' | 'liveDerivers' | 'sandboxDerivers'
>;

/** A chain that is not watched takes no live payments; the sandbox needs no chain. */
export function isEnabled(deps: Needs, asset: Asset, sandbox: boolean): boolean {
  if (!asset.enabled) return false;
  if (sandbox) return deps.sandboxDerivers.has(asset.family) || deps.liveDerivers.has(asset.family);
  if (deps.unscannedAssets.has(asset.key)) return false;
  return deps.watchedChains.has(asset.chain) && deps.liveDerivers.has(asset.family);
}

export interface CoinChoice {
  readonly sandbox: boolean;
  readonly acceptedCoins: readonly string[] | null;
  readonly excludedCoins: readonly string[] | null;
  /** Monero has no permanent addresses (specification, "permanent_address"). */
  readonly bindsPermanentAddress: boolean;
}

/** The assets a customer may pay with, in the catalog's order. */
export function payableAssets(deps: Needs, choice: CoinChoice): readonly Asset[] {
  return deps.catalog.all.filter(
    (asset) =>
      isEnabled(deps, asset, choice.sandbox) &&
      (choice.acceptedCoins === null ||
        choice.acceptedCoins.length === 0 ||
        choice.acceptedCoins.includes(asset.key)) &&
      !choice.excludedCoins?.includes(asset.key) &&
      !(choice.bindsPermanentAddress && asset.family === 'monero'),
  );
}
