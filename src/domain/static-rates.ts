/** Price tables that need no network: the sandbox's built-in one (round figures, deliberately not today's), and a configured one. */
import type { Asset } from './asset.ts';
import { unitsOf } from './decimal.ts';
import { assetPrices, RATE_DECIMALS, type Rates } from './rate.ts';

export const USD_PER_COIN: Readonly<Record<string, string>> = {
  BTC: '100000',
  LTC: '100',
  BCH: '500',
  ETH: '4000',
  USDT: '1',
  USDC: '1',
  EURC: '1.1',
  DAI: '1',
  PYUSD: '1',
  BNB: '800',
  POL: '0.5',
  AVAX: '25',
  TRX: '0.25',
  SOL: '200',
  XRP: '2',
  TON: '2.5',
  XMR: '300',
};

const FIAT_PER_USD: Readonly<Record<string, string>> = {
  USD: '1',
  EUR: '0.9',
  GBP: '0.8',
  CAD: '1.4',
  AUD: '1.5',
  CHF: '0.8',
  JPY: '150',
  NZD: '1.7',
  SGD: '1.3',
  HKD: '7.8',
  NGN: '1500',
  KRW: '1400',
  ILS: '3.5',
  RON: '4.5',
  ARS: '1400',
  INR: '85',
  IDR: '16000',
  MXN: '19',
  MYR: '4.2',
  TRY: '40',
  PLN: '3.7',
  BRL: '5.5',
  THB: '33',
};

/** Prices by asset key and fiat rates (units per USD), as configuration gives them. */
export interface RateTable {
  readonly usd: Readonly<Record<string, string>>;
  readonly fiat: Readonly<Record<string, string>>;
}

type Priced = Pick<Asset, 'key' | 'rate'>;

/** Exactly the configured prices and pegs, for live use offline: a price that nobody set is not known. */
export function fixedRates(assets: readonly Priced[], table: RateTable): Rates {
  const fiatPerUsdE18 = scaled({ ...table.fiat, USD: '1' });
  const pegged = assetPrices(assets, new Map(), fiatPerUsdE18);
  return { usdPerAssetE18: new Map([...pegged, ...scaled(table.usd)]), fiatPerUsdE18 };
}

/** The sandbox's prices: the built-in table with the configured ones laid over it. A coin that it lacks is a dollar there. */
export function sandboxRates(assets: readonly Priced[], table: RateTable): Rates {
  const fiatPerUsdE18 = scaled({ ...FIAT_PER_USD, ...table.fiat });
  const tickers = assets.flatMap(({ rate }) => ('ticker' in rate ? [[rate.ticker, '1'] as const] : []));
  const usdPerTicker = scaled({ ...Object.fromEntries(tickers), ...USD_PER_COIN });
  const prices = assetPrices(assets, usdPerTicker, fiatPerUsdE18);
  return { usdPerAssetE18: new Map([...prices, ...scaled(table.usd)]), fiatPerUsdE18 };
}

function scaled(table: Readonly<Record<string, string>>): Map<string, bigint> {
  return new Map(Object.entries(table).map(([key, price]) => [key, unitsOf(price, RATE_DECIMALS)]));
}
