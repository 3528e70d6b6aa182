/** Fiat currencies the gateway prices in, and how their amounts are held: integer micros (10^-6) of the currency. */

export const FIAT_CURRENCIES = [
  'USD',
  'EUR',
  'GBP',
  'CAD',
  'AUD',
  'CHF',
  'JPY',
  'NZD',
  'SGD',
  'HKD',
  'NGN',
  'KRW',
  'ILS',
  'RON',
  'ARS',
  'INR',
  'IDR',
  'MXN',
  'MYR',
  'TRY',
  'PLN',
  'BRL',
  'THB',
] as const;
export type FiatCurrency = (typeof FIAT_CURRENCIES)[number];

/** Fiat amounts are integers of 10^-6 of the currency: finer than any minor unit, so that many small credits lose nothing. */
export const FIAT_DECIMALS = 6;
export const MICROS_PER_FIAT = 1_000_000n;

const WITHOUT_MINOR_UNIT: ReadonlySet<FiatCurrency> = new Set(['JPY', 'KRW']);

/** Decimals of the currency's minor unit (ISO 4217). */
export function minorDecimals(currency: FiatCurrency): number {
  return WITHOUT_MINOR_UNIT.has(currency) ? 0 : 2;
}

export function isFiatCurrency(code: string): code is FiatCurrency {
  return (FIAT_CURRENCIES as readonly string[]).includes(code);
}

/** Drops what is finer than the currency's minor unit. */
export function floorToMinor(micros: bigint, currency: FiatCurrency): bigint {
  const step = minorStep(currency);
  return (micros / step) * step;
}

/** Fills up what is finer than the currency's minor unit; micros of zero or more. */
export function ceilToMinor(micros: bigint, currency: FiatCurrency): bigint {
  return floorToMinor(micros + minorStep(currency) - 1n, currency);
}

function minorStep(currency: FiatCurrency): bigint {
  return 10n ** BigInt(FIAT_DECIMALS - minorDecimals(currency));
}
