/**
 * ExchangeRate-API's open endpoint: daily mid-market rates of all currencies per USD
 * (open.er-api.com).
 */
import { member } from '../../domain/money/lossless-json.ts';
import type { RateSource } from '../../ports/rates/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { priceTable, priceText, quoted, timeText } from './price-text.ts';
import { FIAT_CODES } from './requested-tickers.ts';

export function openExchangeRateApi(options?: RateSourceOptions): RateSource {
  return jsonRateSource(
    {
      name: 'open-er-api',
      origin: 'https://open.er-api.com',
      path: '/v6/latest/USD',
      read(answer) {
        if (member(answer, 'base_code') !== 'USD') return {};
        const at = timeText(member(answer, 'time_last_update_unix'), 1000);
        return {
          fiatPerUsd: priceTable(
            FIAT_CODES.map((code) => [code, quoted(priceText(member(answer, 'rates', code)), { at })]),
          ),
        };
      },
    },
    options,
  );
}
