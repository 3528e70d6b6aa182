/**
 * Frankfurter: the European Central Bank's daily reference rates per USD (api.frankfurter.dev),
 * without NGN and ARS.
 */
import { member } from '../../domain/money/lossless-json.ts';
import type { RateSource } from '../../ports/rates/rate-source.ts';
import { jsonRateSource, type RateSourceOptions } from './json-rate-source.ts';
import { priceTable, priceText, quoted } from './price-text.ts';
import { FIAT_CODES } from './requested-tickers.ts';

export function frankfurterRates(options?: RateSourceOptions): RateSource {
  return jsonRateSource(
    {
      name: 'frankfurter',
      origin: 'https://api.frankfurter.dev',
      path: '/v1/latest?base=USD',
      read(answer) {
        const perOneUsd = member(answer, 'base') === 'USD' && Number(member(answer, 'amount') ?? 1) === 1;
        if (!perOneUsd) return {};
        const day = member(answer, 'date');
        const at = typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(day) : null;
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
