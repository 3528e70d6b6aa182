/** Bitfinex: the last trade of each USD pair (api-pub.bitfinex.com, "tickers"). Pairs it does not know are left out of its answer. */
import { member } from '../../domain/numbers-as-text.ts';
import type { RateSource } from '../../ports/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { priceTable, priceText } from './price-text.ts';

/** Pairs whose coin has more than three letters are written with a colon; some coins have names of their own. */
const PAIRS = {
  BTC: 'tBTCUSD',
  LTC: 'tLTCUSD',
  BCH: 'tBCHN:USD',
  ETH: 'tETHUSD',
  USDT: 'tUSTUSD',
  USDC: 'tUDCUSD',
  POL: 'tPOLUSD',
  AVAX: 'tAVAX:USD',
  TRX: 'tTRXUSD',
  SOL: 'tSOLUSD',
  XRP: 'tXRPUSD',
  TON: 'tTONUSD',
  XMR: 'tXMRUSD',
} as const;

/** Position of the last price in a trading ticker: pair, bid, size, ask, size, change, relative change, last, ... */
const LAST_PRICE = '7';

export function bitfinexRates(options?: RateSourceOptions): RateSource {
  return jsonRateSource(
    {
      name: 'bitfinex',
      origin: 'https://api-pub.bitfinex.com',
      path: `/v2/tickers?symbols=${Object.values(PAIRS).join(',')}`,
      read(answer) {
        const tickers: readonly unknown[] = Array.isArray(answer) ? answer : [];
        const byPair = new Map(
          tickers.map((ticker) => [member(ticker, '0'), member(ticker, LAST_PRICE)] as const),
        );
        return {
          usdPerAsset: priceTable(
            Object.entries(PAIRS).map(([symbol, pair]) => [symbol, priceText(byPair.get(pair))]),
          ),
        };
      },
    },
    options,
  );
}
