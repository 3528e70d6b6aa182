/** The price table of the sandbox and of offline use: round figures, deliberately not today's. */
import { unitsOf } from './decimal.ts';
import type { Rates } from './rate.ts';

const USD_PER_COIN: Readonly<Record<string, string>> = {
  BTC: '100000',
  LTC: '100',
  BCH: '500',
  ETH: '4000',
  USDT: '1',
  USDC: '1',
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

/** The built-in table with the configuration's prices (by asset key) and fiat rates laid over it. */
export function staticRates(
  assets: readonly { readonly key: string; readonly symbol: string }[],
  overrides: { usd: Readonly<Record<string, string>>; fiat: Readonly<Record<string, string>> } = {
    usd: {},
    fiat: {},
  },
): Rates {
  const usd = new Map<string, bigint>();
  for (const asset of assets) {
    const price = overrides.usd[asset.key] ?? USD_PER_COIN[asset.symbol];
    if (price !== undefined) usd.set(asset.key, unitsOf(price, 18));
  }
  const fiat = new Map<string, bigint>();
  for (const [code, rate] of Object.entries({ ...FIAT_PER_USD, ...overrides.fiat }))
    fiat.set(code, unitsOf(rate, 18));
  return { usdPerAssetE18: usd, fiatPerUsdE18: fiat };
}
