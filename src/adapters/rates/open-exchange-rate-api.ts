/** ExchangeRate-API's open endpoint: daily mid-market rates of all currencies per USD (open.er-api.com). */
import { member } from '../../domain/numbers-as-text.ts';
import type { RateSource } from '../../ports/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { priceTable, priceText } from './price-text.ts';
import { FIAT_CODES } from './symbols.ts';

export function openExchangeRateApi(options?: RateSourceOptions): RateSource {
  return jsonRateSource(
    {
      name: 'open-er-api',
      origin: 'https://open.er-api.com',
      path: '/v6/latest/USD',
      read(answer) {
        if (member(answer, 'base_code') !== 'USD') return {};
        return {
          fiatPerUsd: priceTable(FIAT_CODES.map((code) => [code, priceText(member(answer, 'rates', code))])),
        };
      },
    },
    options,
  );
}
