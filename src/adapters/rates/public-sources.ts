/**
 * The default price services. None needs a key; at least two of them have every coin and currency.
 */
import type { RateSource } from '../../ports/rates/rate-source.ts';
import { askedHourly } from './asked-hourly.ts';
import { bitfinexRates } from './bitfinex.ts';
import { coinbaseRates } from './coinbase.ts';
import { coingeckoRates } from './coingecko.ts';
import { frankfurterRates } from './frankfurter.ts';
import type { RateSourceOptions } from './json-rate-source.ts';
import { krakenRates } from './kraken.ts';
import { okxRates } from './okx.ts';
import { openExchangeRateApi } from './open-exchange-rate-api.ts';

export function publicRateSources(options: Omit<RateSourceOptions, 'origin'> = {}): readonly RateSource[] {
  return [
    coinbaseRates(options),
    krakenRates(options),
    coingeckoRates(options),
    okxRates(options),
    bitfinexRates(options),
    askedHourly(openExchangeRateApi(options)),
    askedHourly(frankfurterRates(options)),
  ];
}
