/** The asset catalog: keys `<ticker>_<chain>`, decimals, contracts, and the short names accepted as input (decisions.md, "Asset keys"). */
import { CHAINS, chainNamed, type Family } from './chain.ts';
import { type AssetKey, leastLiveMicroUsd, SMALLEST_INVOICE_MICRO_USD } from './collecting-cost.ts';
import { unitsOf } from './decimal.ts';
import { FIAT_DECIMALS } from './fiat.ts';
import type { Environment } from './merchant.ts';

export interface Asset {
  readonly key: string;
  readonly chain: string;
  readonly family: Family;
  readonly symbol: string;
  readonly type: 'native' | 'token';
  /** Base units per whole coin = 10^decimals, fixed per asset (safety.md E9). */
  readonly decimals: number;
  /** Decimals of amounts the gateway computes itself: at most 8. */
  readonly displayDecimals: number;
  readonly contract: string | null;
  /** Least invoice amount by environment, in micro-USD (safety.md G10). */
  readonly minAmountMicroUsd: Readonly<Record<Environment, bigint>>;
  /** False where the configuration switched the asset off for both environments. */
  readonly enabled: boolean;
}

const MAX_DISPLAY_DECIMALS = 8;

/** Its symbol and chain, as long as together they are a key whose collecting cost is known. */
type Named<Symbol extends string, Chain extends string> = `${Lowercase<Symbol>}_${Chain}` extends AssetKey
  ? Symbol
  : never;

function native<S extends string, C extends string>(symbol: Named<S, C>, chain: C, decimals: number): Asset {
  return make({ symbol, chain, decimals, type: 'native', contract: null });
}

function token<S extends string, C extends string>(
  symbol: Named<S, C>,
  chain: C,
  decimals: number,
  contract: string,
): Asset {
  return make({ symbol, chain, decimals, type: 'token', contract });
}

function make(a: Pick<Asset, 'symbol' | 'chain' | 'decimals' | 'type' | 'contract'>): Asset {
  const key = `${a.symbol.toLowerCase()}_${a.chain}` as AssetKey;
  return {
    ...a,
    key,
    family: chainNamed(a.chain).family,
    displayDecimals: Math.min(a.decimals, MAX_DISPLAY_DECIMALS),
    minAmountMicroUsd: { live: leastLiveMicroUsd(key), sandbox: SMALLEST_INVOICE_MICRO_USD },
    enabled: true,
  };
}

export const BUILT_IN_ASSETS: readonly Asset[] = [
  native('BTC', 'bitcoin', 8),
  native('LTC', 'litecoin', 8),
  native('BCH', 'bitcoincash', 8),
  native('ETH', 'ethereum', 18),
  token('USDT', 'ethereum', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  token('USDC', 'ethereum', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  native('BNB', 'bsc', 18),
  token('USDT', 'bsc', 18, '0x55d398326f99059fF775485246999027B3197955'),
  native('POL', 'polygon', 18),
  token('USDT', 'polygon', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
  native('ETH', 'arbitrum', 18),
  native('ETH', 'base', 18),
  token('USDC', 'base', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  native('ETH', 'optimism', 18),
  native('AVAX', 'avalanche', 18),
  native('TRX', 'tron', 6),
  token('USDT', 'tron', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
  token('USDC', 'solana', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  token('USDT', 'solana', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  native('SOL', 'solana', 9),
  native('XRP', 'xrp', 6),
  native('TON', 'ton', 9),
  token('USDT', 'ton', 6, 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'),
  native('XMR', 'monero', 12),
];

/** Least amount of an invoice of that environment, in micro-USD. */
export function leastInvoiceMicroUsd({ minAmountMicroUsd }: Asset, sandbox: boolean): bigint {
  return sandbox ? minAmountMicroUsd.sandbox : minAmountMicroUsd.live;
}

/** What configuration may lay over a built-in asset. */
export interface AssetOverride {
  readonly contract: string | null;
  readonly decimals: number | null;
  readonly minAmountUsd: string | null;
  readonly enabled: boolean | null;
}

/** Immutable catalog with look-ups by key and by the names merchants use. */
export class AssetCatalog {
  readonly all: readonly Asset[];
  readonly #byKey: ReadonlyMap<string, Asset>;

  constructor(overrides: Readonly<Record<string, AssetOverride>> = {}) {
    this.all = BUILT_IN_ASSETS.map((asset) => laidOver(asset, overrides[asset.key]));
    this.#byKey = new Map(this.all.map((asset) => [asset.key, asset]));
  }

  get(key: string): Asset | undefined {
    return this.#byKey.get(key);
  }

  /** The asset of a key that comes from our own storage; throws when the catalog lost it. */
  require(key: string): Asset {
    const asset = this.#byKey.get(key);
    if (!asset) throw new Error(`no such asset: ${key}`);
    return asset;
  }

  /**
   * Resolves what a merchant wrote: a full key, a short form (`btc`, `usdt_erc20`, `usdt_trc20`), or a ticker with
   * `chain`. `message` of a failure names the candidates of an ambiguous form.
   */
  resolve(name: string, chainName?: string): { asset: Asset } | { message: string } {
    const exact = chainName === undefined ? this.#byKey.get(name) : undefined;
    if (exact) return { asset: exact };
    const [ticker = '', ...rest] = name.trim().toLowerCase().split('_');
    const suffix = rest.join('_');
    const wanted = chainName === undefined ? null : canonicalChain(chainName);
    if (chainName !== undefined && wanted === null) return { message: `Unknown chain: ${chainName}` };
    const own = suffix === '' ? null : canonicalChain(suffix);
    if (suffix !== '' && own === null) return { message: `Unknown asset: ${name}` };
    if (own !== null && wanted !== null && own !== wanted) {
      return { message: `Asset ${name} is not on chain ${chainName}` };
    }
    const chain = own ?? wanted;
    const found = this.all.filter(
      (asset) => asset.symbol.toLowerCase() === ticker && (chain === null || asset.chain === chain),
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

function laidOver(asset: Asset, override: AssetOverride | undefined): Asset {
  if (!override) return asset;
  const decimals = override.decimals ?? asset.decimals;
  return {
    ...asset,
    decimals,
    displayDecimals: Math.min(decimals, MAX_DISPLAY_DECIMALS),
    contract: override.contract ?? asset.contract,
    enabled: override.enabled ?? asset.enabled,
    minAmountMicroUsd:
      override.minAmountUsd === null ? asset.minAmountMicroUsd : everywhere(override.minAmountUsd),
  };
}

function everywhere(usd: string): Asset['minAmountMicroUsd'] {
  const micros = unitsOf(usd, FIAT_DECIMALS);
  return { live: micros, sandbox: micros };
}

const CHAIN_ALIASES: Readonly<Record<string, string>> = {
  btc: 'bitcoin',
  ltc: 'litecoin',
  bch: 'bitcoincash',
  eth: 'ethereum',
  erc20: 'ethereum',
  bnb: 'bsc',
  bep20: 'bsc',
  pol: 'polygon',
  matic: 'polygon',
  arb: 'arbitrum',
  op: 'optimism',
  avax: 'avalanche',
  avaxc: 'avalanche',
  trx: 'tron',
  trc20: 'tron',
  sol: 'solana',
  spl: 'solana',
  xmr: 'monero',
};

function canonicalChain(name: string): string | null {
  const lower = name.trim().toLowerCase();
  const chain = Object.hasOwn(CHAIN_ALIASES, lower) ? CHAIN_ALIASES[lower] : lower;
  return CHAINS.some((known) => known.name === chain) ? (chain ?? null) : null;
}
