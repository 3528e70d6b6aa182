/** A provider's codes of the catalog's coins, and the asset that each code means. */
import type { Asset, AssetCatalog } from '../../../domain/catalog/asset.ts';
import type { ChainName } from '../../../domain/catalog/chain-rows.ts';
import type { AssetKey } from '../../../domain/catalog/tokens.ts';

export interface CurrencyCodes {
  codeOf(asset: CodedAsset): string;
  /** The listed asset for a code in any letter case; null if there is none. */
  assetOf(catalog: AssetCatalog, code: string): Asset | null;
}

export type CodedAsset = Pick<Asset, 'key' | 'ticker' | 'chain' | 'type'>;

export interface CodeRules {
  /** The coin of each chain. */
  readonly coins: Readonly<Partial<Record<ChainName, string>>>;
  /** The suffix after the ticker of a token of each chain. */
  readonly tokens: Readonly<Partial<Record<ChainName, string>>>;
  /** Assets that follow no rule. */
  readonly others: Readonly<Partial<Record<AssetKey, string>>>;
  /** Further accepted codes. */
  readonly alsoUnderstood: Readonly<Record<string, AssetKey>>;
  readonly letters: 'upper' | 'lower';
}

/** An asset of a chain without a rule has its own key as its code. */
export function currencyCodes(rules: CodeRules): CurrencyCodes {
  const inCase = (code: string) => (rules.letters === 'upper' ? code.toUpperCase() : code.toLowerCase());
  const others: Readonly<Record<string, string>> = rules.others;
  const byRule = ({ ticker, chain, type }: CodedAsset) => {
    if (type === 'native') return rules.coins[chain];
    const ending = rules.tokens[chain];
    return ending === undefined ? undefined : ticker + ending;
  };
  const codeOf = (asset: CodedAsset) => inCase(others[asset.key] ?? byRule(asset) ?? asset.key);
  return {
    codeOf,
    assetOf(catalog, code) {
      const wanted = inCase(code.trim());
      const found = catalog.all.find((asset) => codeOf(asset) === wanted);
      const key = rules.alsoUnderstood[wanted];
      return found ?? catalog.all.find((asset) => asset.key === key) ?? null;
    },
  };
}
