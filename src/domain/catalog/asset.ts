/**
 * The asset catalog: keys `<ticker>_<chain>`, decimals, contracts, and the short names accepted as
 * input (decision 0001).
 */

import type { Environment } from '../environment.ts';
import { unitsOf } from '../money/decimal.ts';
import { canonicalChain, chainNamed } from './chain.ts';
import type { ChainName, TokenChain } from './chain-rows.ts';
import { leastLiveMicroUsd, SMALLEST_INVOICE_MICRO_USD } from './collecting-cost.ts';
import type { Family } from './family.ts';
import { FIAT_DECIMALS, type FiatCurrency } from './fiat.ts';
import { type AssetRow, BUILT_IN_ROWS } from './tokens.ts';
import type { UnlistedToken } from './unlisted-tokens.ts';

export interface Asset {
  /** `<ticker>_<chain>`. */
  readonly key: string;
  /** The first part of the key, in lower case. */
  readonly ticker: string;
  readonly chain: ChainName;
  readonly family: Family;
  /** Shown to people. */
  readonly symbol: string;
  /** Also shown to people, if configured. */
  readonly name: string | null;
  readonly type: 'native' | 'token';
  /** Base units per whole coin = 10^decimals, fixed per asset (safety.md E9). */
  readonly decimals: number;
  /** Decimals of amounts the gateway computes itself: at most 8. */
  readonly displayDecimals: number;
  readonly contract: string | null;
  /** The symbol that its contract must have; null: any, as for built-in tokens. */
  readonly contractSymbol: string | null;
  readonly rate: RateRule;
  /** Least invoice amount by environment, in micro-USD (safety.md G10). */
  readonly minAmountMicroUsd: Readonly<Record<Environment, bigint>>;
  /** False where the configuration switched the asset off for both environments. */
  readonly enabled: boolean;
  /** False if its contract is of another network than the chain's configured one: sandbox only. */
  readonly onNetwork: boolean;
}

/** The source of a price: a coin's ticker at price services, or a fixed amount of a currency. */
export type RateRule =
  | { readonly ticker: string }
  | { readonly currency: FiatCurrency; readonly amount: string };

/** A token that the configuration adds to the catalog. */
export interface OwnAsset {
  readonly key: string;
  readonly chain: TokenChain;
  /** As its family writes addresses. */
  readonly contract: string;
  readonly decimals: number;
  readonly symbol: string;
  readonly name: string | null;
  readonly rate: RateRule;
  readonly minAmountUsd: string | null;
  readonly enabled: boolean;
}

const MAX_DISPLAY_DECIMALS = 8;

function builtIn({ symbol, chain, decimals, contract }: AssetRow): Asset {
  const type = contract === null ? 'native' : 'token';
  return {
    key: `${symbol.toLowerCase()}_${chain}`,
    ticker: symbol.toLowerCase(),
    chain,
    family: chainNamed(chain).family,
    symbol,
    name: null,
    type,
    decimals,
    displayDecimals: Math.min(decimals, MAX_DISPLAY_DECIMALS),
    contract,
    contractSymbol: null,
    rate: { ticker: symbol },
    minAmountMicroUsd: { live: leastLiveMicroUsd({ chain, type }), sandbox: SMALLEST_INVOICE_MICRO_USD },
    enabled: true,
    onNetwork: true,
  };
}

function own({ minAmountUsd, ...asset }: OwnAsset): Asset {
  const { key, chain, contract, decimals, symbol } = asset;
  return {
    ...builtIn({ symbol, chain, decimals, contract }),
    ...asset,
    ticker: key.slice(0, -`_${chain}`.length),
    contractSymbol: symbol,
    ...(minAmountUsd === null ? {} : { minAmountMicroUsd: everywhere(minAmountUsd) }),
  };
}

function unlisted({ ticker, ...row }: UnlistedToken): Asset {
  return { ...builtIn(row), ...{ key: `${ticker}_${row.chain}`, ticker, enabled: false } };
}

export const BUILT_IN_ASSETS: readonly Asset[] = BUILT_IN_ROWS.map(builtIn);

/** Least amount of an invoice of that environment, in micro-USD. */
export function leastInvoiceMicroUsd({ minAmountMicroUsd }: Asset, sandbox: boolean): bigint {
  return sandbox ? minAmountMicroUsd.sandbox : minAmountMicroUsd.live;
}

/** What configuration may change of a built-in asset. */
export interface AssetOverride {
  readonly contract: string | null;
  readonly decimals: number | null;
  readonly minAmountUsd: string | null;
  readonly enabled: boolean | null;
  readonly onNetwork?: boolean;
}

/** Immutable catalog with look-ups by key and by the names merchants use. */
export class AssetCatalog {
  readonly all: readonly Asset[];
  /** Tokens that are read, but never credited. */
  readonly unlisted: readonly Asset[];
  readonly #byKey: ReadonlyMap<string, Asset>;

  /**
   * `owned` come after the built-in ones. All keys and contracts differ (compose/catalog.ts
   * checks).
   */
  constructor(
    overrides: Readonly<Record<string, AssetOverride>> = {},
    owned: readonly OwnAsset[] = [],
    known: readonly UnlistedToken[] = [],
  ) {
    this.all = [...BUILT_IN_ASSETS.map((asset) => laidOver(asset, overrides[asset.key])), ...owned.map(own)];
    this.unlisted = known.map(unlisted);
    this.#byKey = new Map([...this.all, ...this.unlisted].map((asset) => [asset.key, asset]));
  }

  /** Also finds unlisted ones. */
  get(key: string): Asset | undefined {
    return this.#byKey.get(key);
  }

  isListed(key: string): boolean {
    return this.all.some((asset) => asset.key === key);
  }

  /** The asset of a stored key; throws if the catalog lost it. */
  require(key: string): Asset {
    const asset = this.#byKey.get(key);
    if (!asset) throw new Error(`no such asset: ${key}`);
    return asset;
  }

  /** The chain's own coin, in which fees are paid; throws for a chain outside the catalog. */
  nativeOf(chain: string): Asset {
    const native = this.all.find((asset) => asset.chain === chain && asset.type === 'native');
    if (!native) throw new Error(`no such chain: ${chain}`);
    return native;
  }

  /**
   * Resolves a merchant's spelling: a full key, a short form (`btc`, `usdt_erc20`, `usdt_trc20`),
   * or a ticker with `chain`. The `message` of a failure names the candidates of an ambiguous form.
   */
  resolve(name: string, chainName?: string): { asset: Asset } | { message: string } {
    const exact = chainName === undefined ? this.all.find(({ key }) => key === name) : undefined;
    if (exact) return { asset: exact };
    const [ticker = '', ...rest] = name.trim().toLowerCase().split('_');
    const suffix = rest.join('_');
    const named = chainMeant(name, suffix, chainName);
    if ('message' in named) return named;
    const { chain } = named;
    const found = this.all.filter(
      (asset) => asset.ticker === ticker && (chain === null || asset.chain === chain),
    );
    const [only] = found;
    if (!only) return { message: `Unknown asset: ${name}${chain === null ? '' : ` on ${chain}`}` };
    if (found.length > 1) {
      return {
        message: `Ambiguous asset: ${name}. Use one of ${found.map((asset) => asset.key).join(', ')}`,
      };
    }
    return { asset: only };
  }
}

/**
 * The chain named by `suffix`, the end of an asset's name, or by `chainName`; null if by neither.
 */
function chainMeant(
  name: string,
  suffix: string,
  chainName: string | undefined,
): { chain: ReturnType<typeof canonicalChain> } | { message: string } {
  const wanted = chainName === undefined ? null : canonicalChain(chainName);
  if (chainName !== undefined && wanted === null) return { message: `Unknown chain: ${chainName}` };
  const own = suffix === '' ? null : canonicalChain(suffix);
  if (suffix !== '' && own === null) return { message: `Unknown asset: ${name}` };
  if (own !== null && wanted !== null && own !== wanted)
    return { message: `Asset ${name} is not on chain ${chainName}` };
  return { chain: own ?? wanted };
}

function laidOver(asset: Asset, override: AssetOverride | undefined): Asset {
  if (!override) return asset;
  const decimals = override.decimals ?? asset.decimals;
  return {
    ...asset,
    decimals,
    displayDecimals: Math.min(decimals, MAX_DISPLAY_DECIMALS),
    contract: override.contract ?? asset.contract,
    enabled: override.enabled ?? asset.enabled,
    onNetwork: override.onNetwork ?? asset.onNetwork,
    minAmountMicroUsd:
      override.minAmountUsd === null ? asset.minAmountMicroUsd : everywhere(override.minAmountUsd),
  };
}

function everywhere(usd: string): Asset['minAmountMicroUsd'] {
  const micros = unitsOf(usd, FIAT_DECIMALS);
  return { live: micros, sandbox: micros };
}
