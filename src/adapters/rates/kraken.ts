/**
 * Kraken: the last trade of each USD pair (api.kraken.com, "Ticker"). It is asked for all pairs,
 * because a removed pair in the request fails all of it. A pair without a trade in 24 hours, or
 * with the same last trade for a quarter of an hour, is ignored.
 */

import { type CoinSymbol, isCoinSymbol, tickersOf } from '../../domain/catalog/coins.ts';
import { member } from '../../domain/money/lossless-json.ts';
import type { QuotedPrice } from '../../domain/rates/quote-age.ts';
import type { RateSource } from '../../ports/rates/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { firstOf, isNothing, priceTable, priceText, quoted } from './price-text.ts';
import { CRYPTO_SYMBOLS } from './requested-tickers.ts';

/**
 * Old listings have Kraken's four-letter asset codes; null: a newer listing under the plain ticker.
 */
const OLD_PAIRS: Readonly<Record<CoinSymbol, string | null>> = {
  BTC: 'XXBTZUSD',
  LTC: 'XLTCZUSD',
  BCH: null,
  ETH: 'XETHZUSD',
  USDT: 'USDTZUSD',
  USDC: null,
  EURC: null,
  DAI: null,
  PYUSD: null,
  BNB: null,
  POL: null,
  AVAX: null,
  TRX: null,
  SOL: null,
  XRP: 'XXRPZUSD',
  TON: null,
  XMR: 'XXMRZUSD',
};

const oldPair = (ticker: string): string | null => (isCoinSymbol(ticker) ? OLD_PAIRS[ticker] : null);
const pairsOf = (symbol: string): readonly string[] =>
  tickersOf(symbol).map((ticker) => oldPair(ticker) ?? `${ticker}USD`);

/** "c" is [price, lot volume] of the last trade, "t" the number of trades [today, in 24 hours]. */
function lastTrade(ticker: unknown): QuotedPrice | null {
  if (isNothing(member(ticker, 't', '1'))) return null;
  const mark = [member(ticker, 'c', '1'), member(ticker, 't', '0')];
  return quoted(priceText(member(ticker, 'c', '0')), { mark });
}

export function krakenRates(options?: RateSourceOptions): RateSource {
  const tickers = options?.tickers ?? CRYPTO_SYMBOLS;
  return jsonRateSource(
    {
      name: 'kraken',
      origin: 'https://api.kraken.com',
      path: '/0/public/Ticker',
      read: (answer) => ({
        usdPerAsset: priceTable(
          tickers.map((symbol) => [
            symbol,
            firstOf(pairsOf(symbol), (pair) => lastTrade(member(answer, 'result', pair))),
          ]),
        ),
      }),
    },
    options,
  );
}
