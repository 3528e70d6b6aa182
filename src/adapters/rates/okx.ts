/**
 * OKX: its USD index prices, averaged over several exchanges, with their times (www.okx.com, "index
 * tickers").
 */

import { tickersOf } from '../../domain/catalog/coins.ts';
import { member } from '../../domain/money/lossless-json.ts';
import type { QuotedPrice } from '../../domain/rates/quote-age.ts';
import type { RateSource } from '../../ports/rates/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { firstOf, priceTable, priceText, quoted, timeText } from './price-text.ts';
import { CRYPTO_SYMBOLS } from './requested-tickers.ts';

const indexOf = (ticker: unknown): QuotedPrice | null =>
  quoted(priceText(member(ticker, 'idxPx')), { at: timeText(member(ticker, 'ts'), 1) });

export function okxRates(options?: RateSourceOptions): RateSource {
  const wanted = options?.tickers ?? CRYPTO_SYMBOLS;
  return jsonRateSource(
    {
      name: 'okx',
      origin: 'https://www.okx.com',
      path: '/api/v5/market/index-tickers?quoteCcy=USD',
      read(answer) {
        const listed = member(answer, 'data');
        const tickers: readonly unknown[] = Array.isArray(listed) ? listed : [];
        const byPair = new Map(tickers.map((ticker) => [member(ticker, 'instId'), ticker] as const));
        return {
          usdPerAsset: priceTable(
            wanted.map((symbol) => [
              symbol,
              firstOf(tickersOf(symbol), (ticker) => indexOf(byPair.get(`${ticker}-USD`))),
            ]),
          ),
        };
      },
    },
    options,
  );
}
