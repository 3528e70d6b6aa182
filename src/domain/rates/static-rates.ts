/**
 * Prices without network: the sandbox's (round figures, deliberately not today's), and configured
 * ones.
 */
import type { Asset } from '../catalog/asset.ts';
import { COINS } from '../catalog/coins.ts';
import { FIATS } from '../catalog/fiat.ts';
import { unitsOf } from '../money/decimal.ts';
import { assetPrices, RATE_DECIMALS, type Rates } from './rate.ts';

/** Prices by asset key and fiat rates (units per USD), as configuration gives them. */
export interface RateTable {
  readonly usd: Readonly<Record<string, string>>;
  readonly fiat: Readonly<Record<string, string>>;
}

const ONE_USD = unitsOf('1', RATE_DECIMALS);
const USD_PER_COIN = scaled(Object.entries(COINS).map(([symbol, { sandboxUsd }]) => [symbol, sandboxUsd]));
const FIAT_PER_USD = scaled(Object.entries(FIATS).map(([code, { sandboxPerUsd }]) => [code, sandboxPerUsd]));

type RatedAsset = Pick<Asset, 'key' | 'rate'>;

/** Exactly the configured prices and pegs, for live use offline. */
export function fixedRates(assets: readonly RatedAsset[], table: RateTable): Rates {
  const fiatPerUsdE18 = new Map([...scaled(Object.entries(table.fiat)), ['USD', ONE_USD]]);
  const pegged = assetPrices(assets, new Map(), fiatPerUsdE18);
  return { usdPerAssetE18: new Map([...pegged, ...scaled(Object.entries(table.usd))]), fiatPerUsdE18 };
}

/** The sandbox's prices: configured ones, else the built-in table, else one dollar. */
export function sandboxRates(assets: readonly RatedAsset[], table: RateTable): Rates {
  const fiatPerUsdE18 = new Map([...FIAT_PER_USD, ...scaled(Object.entries(table.fiat))]);
  const tickers = assets.flatMap(({ rate }) => ('ticker' in rate ? [[rate.ticker, ONE_USD] as const] : []));
  const usdPerTicker = new Map([...tickers, ...USD_PER_COIN]);
  const prices = assetPrices(assets, usdPerTicker, fiatPerUsdE18);
  return { usdPerAssetE18: new Map([...prices, ...scaled(Object.entries(table.usd))]), fiatPerUsdE18 };
}

function scaled(prices: readonly (readonly [string, string])[]): Map<string, bigint> {
  return new Map(prices.map(([key, price]) => [key, unitsOf(price, RATE_DECIMALS)]));
}
