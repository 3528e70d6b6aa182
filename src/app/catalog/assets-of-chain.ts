/** The assets of a chain, by key: all of them, or those that its nodes are asked about. */
import type { AppDependencies } from '../dependencies.ts';

/** Enabled or not. */
export const assetsOf = ({ catalog }: Pick<AppDependencies, 'catalog'>, chain: string): readonly string[] =>
  catalog.all.filter((asset) => asset.chain === chain).map(({ key }) => key);

/** Enabled, and of a contract that fits the catalog. */
export function scannedAssetsOf(
  deps: Pick<AppDependencies, 'catalog' | 'unscannedAssets'>,
  chain: string,
): readonly string[] {
  return deps.catalog.all
    .filter((asset) => asset.chain === chain && asset.enabled && !deps.unscannedAssets.has(asset.key))
    .map(({ key }) => key);
}
