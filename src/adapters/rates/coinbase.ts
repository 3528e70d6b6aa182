/**
 * Coinbase: units of every currency and coin per USD in one response (api.coinbase.com, "exchange
 * rates"); coins are inverted. It has no times: a coin whose price is unchanged for a quarter of an
 * hour is ignored.
 */

import { tickersOf } from '../../domain/catalog/coins.ts';
import { member } from '../../domain/money/lossless-json.ts';
import type { RateSource } from '../../ports/rates/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { firstOf, invertedPriceText, priceTable, priceText, quoted } from './price-text.ts';
import { CRYPTO_SYMBOLS, FIAT_CODES } from './requested-tickers.ts';

export function coinbaseRates(options?: RateSourceOptions): RateSource {
  const tickers = options?.tickers ?? CRYPTO_SYMBOLS;
  return jsonRateSource(
    {
      name: 'coinbase',
      origin: 'https://api.coinbase.com',
      path: '/v2/exchange-rates?currency=USD',
      read(answer) {
        if (member(answer, 'data', 'currency') !== 'USD') return {};
        const rate = (symbol: string) => member(answer, 'data', 'rates', symbol);
        return {
          usdPerAsset: priceTable(
            tickers.map((symbol) => [
              symbol,
              firstOf(tickersOf(symbol), (ticker) => quoted(invertedPriceText(rate(ticker)))),
            ]),
          ),
          fiatPerUsd: priceTable(FIAT_CODES.map((code) => [code, quoted(priceText(rate(code)))])),
        };
      },
    },
    options,
  );
}
