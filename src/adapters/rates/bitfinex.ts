/**
 * Bitfinex: the last trade of each USD pair (api-pub.bitfinex.com, "tickers"). Pairs it does not know are left out of its answer. A pair
 * without volume in 24 hours, or whose price is the same for a quarter of an hour, does not count.
 */
import { member } from '../../domain/numbers-as-text.ts';
import type { QuotedPrice } from '../../domain/quote-age.ts';
import { tickersOf } from '../../domain/renamed-coins.ts';
import type { RateSource } from '../../ports/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { firstOf, isNothing, priceTable, priceText, quoted } from './price-text.ts';

const SYMBOLS = [
  ...['BTC', 'LTC', 'BCH', 'ETH', 'USDT', 'USDC', 'POL', 'AVAX', 'TRX', 'SOL', 'XRP', 'TON', 'XMR'],
] as const;

/** Some coins have names of their own. Pairs whose coin has more than three letters are written with a colon. */
const OWN_NAMES: Readonly<Record<string, string>> = { BCH: 'BCHN', USDT: 'UST', USDC: 'UDC' };

const pairsOf = (symbol: string): readonly string[] =>
  tickersOf(symbol).map((ticker) => {
    const name = OWN_NAMES[ticker] ?? ticker;
    return name.length > 3 ? `t${name}:USD` : `t${name}USD`;
  });

/** Positions in a trading ticker: pair, bid, size, ask, size, change, relative change, last price, volume of 24 hours, ... */
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
      path: `/v2/tickers?symbols=${SYMBOLS.flatMap(pairsOf).join(',')}`,
      read(answer) {
        const tickers: readonly unknown[] = Array.isArray(answer) ? answer : [];
        const byPair = new Map(tickers.map((ticker) => [member(ticker, '0'), ticker] as const));
        return {
          usdPerAsset: priceTable(
            SYMBOLS.map((symbol) => [
              symbol,
              firstOf(pairsOf(symbol), (pair) => lastTrade(byPair.get(pair))),
            ]),
          ),
        };
      },
    },
    options,
  );
}
