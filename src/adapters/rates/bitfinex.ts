/**
 * Bitfinex: the last trade of each USD pair (api-pub.bitfinex.com, "tickers"). Its response lacks
 * unknown pairs. A pair without volume in 24 hours, or with the same price for a quarter of an
 * hour, is ignored.
 */

import { type CoinSymbol, tickersOf } from '../../domain/catalog/coins.ts';
import { member } from '../../domain/money/lossless-json.ts';
import type { QuotedPrice } from '../../domain/rates/quote-age.ts';
import type { RateSource } from '../../ports/rates/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { firstOf, isNothing, priceTable, priceText, quoted } from './price-text.ts';

/** Its names of the coins, some of which differ from the ticker. Null: no USD pair. */
const NAMES: Readonly<Record<CoinSymbol, string | null>> = {
  BTC: 'BTC',
  LTC: 'LTC',
  BCH: 'BCHN',
  ETH: 'ETH',
  USDT: 'UST',
  USDC: 'UDC',
  EURC: null,
  DAI: null,
  PYUSD: null,
  BNB: null,
  POL: 'POL',
  AVAX: 'AVAX',
  TRX: 'TRX',
  SOL: 'SOL',
  XRP: 'XRP',
  TON: 'TON',
  XMR: 'XMR',
};

/** Pairs whose coin has more than three letters are written with a colon. */
const pairOf = (name: string): string => (name.length > 3 ? `t${name}:USD` : `t${name}USD`);

const TRADED = Object.entries(NAMES).flatMap(([symbol, name]) => {
  if (name === null) return [];
  const names = tickersOf(symbol).map((ticker) => (ticker === symbol ? name : ticker));
  return [{ symbol, pairs: names.map(pairOf) }];
});

/**
 * Positions in a trading ticker: pair, bid, size, ask, size, change, relative change, last price,
 * volume of 24 hours, ...
 */
const LAST_PRICE = '7';
const VOLUME = '8';

function lastTrade(ticker: unknown): QuotedPrice | null {
  return isNothing(member(ticker, VOLUME)) ? null : quoted(priceText(member(ticker, LAST_PRICE)));
}

export function bitfinexRates(options?: RateSourceOptions): RateSource {
  return jsonRateSource(
    {
      name: 'bitfinex',
      origin: 'https://api-pub.bitfinex.com',
      path: `/v2/tickers?symbols=${TRADED.flatMap(({ pairs }) => pairs).join(',')}`,
      read(answer) {
        const tickers: readonly unknown[] = Array.isArray(answer) ? answer : [];
        const byPair = new Map(tickers.map((ticker) => [member(ticker, '0'), ticker] as const));
        return {
          usdPerAsset: priceTable(
            TRADED.map(({ symbol, pairs }) => [
              symbol,
              firstOf(pairs, (pair) => lastTrade(byPair.get(pair))),
            ]),
          ),
        };
      },
    },
    options,
  );
}
