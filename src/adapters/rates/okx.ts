/** OKX: its USD index prices, which are averages over several exchanges (www.okx.com, "index tickers"). */
import { member } from '../../domain/numbers-as-text.ts';
import type { RateSource } from '../../ports/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { priceTable, priceText } from './price-text.ts';
import { CRYPTO_SYMBOLS } from './symbols.ts';

export function okxRates(options?: RateSourceOptions): RateSource {
  return jsonRateSource(
    {
      name: 'okx',
      origin: 'https://www.okx.com',
      path: '/api/v5/market/index-tickers?quoteCcy=USD',
      read(answer) {
        const listed = member(answer, 'data');
        const tickers: readonly unknown[] = Array.isArray(listed) ? listed : [];
        const byPair = new Map(
          tickers.map((ticker) => [member(ticker, 'instId'), member(ticker, 'idxPx')] as const),
        );
        return {
          usdPerAsset: priceTable(
            CRYPTO_SYMBOLS.map((symbol) => [symbol, priceText(byPair.get(`${symbol}-USD`))]),
          ),
        };
      },
    },
    options,
  );
}
