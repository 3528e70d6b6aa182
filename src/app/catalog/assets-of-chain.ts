/** Every asset of a chain, by key, enabled or not. */
import type { AppDependencies } from '../dependencies.ts';

export const assetsOf = ({ catalog }: Pick<AppDependencies, 'catalog'>, chain: string): readonly string[] =>
  catalog.all.filter((asset) => asset.chain === chain).map(({ key }) => key);
