/** Names of coins and networks as wallets and exchanges write them, the same in every language. */
import type { Asset } from '../../../domain/catalog/asset.ts';
import { chainNamed } from '../../../domain/catalog/chain.ts';
import { coinFacts, tickersOf } from '../../../domain/catalog/coins.ts';

export function coinName({ symbol, name }: Pick<Asset, 'symbol' | 'name'>): string {
  return name ?? coinFacts(symbol)?.name ?? symbol;
}

export function networkName({ chain }: Pick<Asset, 'chain'>): string {
  return chainNamed(chain).label;
}

/** Null for a native coin, and on networks without such a name. */
export function tokenStandard({ chain, type }: Pick<Asset, 'chain' | 'type'>): string | null {
  return type === 'token' ? chainNamed(chain).tokenStandard : null;
}

/** The text that the page's search matches, in lower case. */
export function searchText(asset: Asset): string {
  const standard = tokenStandard(asset) ?? '';
  return [
    ...[...tickersOf(asset.symbol), coinName(asset), networkName(asset), asset.chain],
    ...[standard, standard.replace('-', '')],
  ]
    .filter((word) => word !== '')
    .join(' ')
    .toLowerCase();
}
