/**
 * Fiat currencies the gateway prices in, and how their amounts are held: integer micros (10^-6) of
 * the currency.
 */
import { keysOf } from './keys-of.ts';

export interface FiatFacts {
  /** Decimals of the minor unit (ISO 4217). */
  readonly minorDecimals: number;
  /** Units for one US dollar in the sandbox: a round figure, deliberately not today's. */
  readonly sandboxPerUsd: string;
}

export const FIATS = {
  USD: { minorDecimals: 2, sandboxPerUsd: '1' },
  EUR: { minorDecimals: 2, sandboxPerUsd: '0.9' },
  GBP: { minorDecimals: 2, sandboxPerUsd: '0.8' },
  CAD: { minorDecimals: 2, sandboxPerUsd: '1.4' },
  AUD: { minorDecimals: 2, sandboxPerUsd: '1.5' },
  CHF: { minorDecimals: 2, sandboxPerUsd: '0.8' },
  JPY: { minorDecimals: 0, sandboxPerUsd: '150' },
  NZD: { minorDecimals: 2, sandboxPerUsd: '1.7' },
  SGD: { minorDecimals: 2, sandboxPerUsd: '1.3' },
  HKD: { minorDecimals: 2, sandboxPerUsd: '7.8' },
  NGN: { minorDecimals: 2, sandboxPerUsd: '1500' },
  KRW: { minorDecimals: 0, sandboxPerUsd: '1400' },
  ILS: { minorDecimals: 2, sandboxPerUsd: '3.5' },
  RON: { minorDecimals: 2, sandboxPerUsd: '4.5' },
  ARS: { minorDecimals: 2, sandboxPerUsd: '1400' },
  INR: { minorDecimals: 2, sandboxPerUsd: '85' },
  IDR: { minorDecimals: 2, sandboxPerUsd: '16000' },
  MXN: { minorDecimals: 2, sandboxPerUsd: '19' },
  MYR: { minorDecimals: 2, sandboxPerUsd: '4.2' },
  TRY: { minorDecimals: 2, sandboxPerUsd: '40' },
  PLN: { minorDecimals: 2, sandboxPerUsd: '3.7' },
  BRL: { minorDecimals: 2, sandboxPerUsd: '5.5' },
  THB: { minorDecimals: 2, sandboxPerUsd: '33' },
} as const satisfies Readonly<Record<string, FiatFacts>>;
export type FiatCurrency = keyof typeof FIATS;

/** In the order of lists. */
export const FIAT_CURRENCIES = keysOf(FIATS);

/**
 * Fiat amounts are integers of 10^-6 of the currency: finer than any minor unit, so that many small
 * credits lose nothing.
 */
export const FIAT_DECIMALS = 6;
export const MICROS_PER_FIAT = 1_000_000n;

/** Decimals of the currency's minor unit. */
export function minorDecimals(currency: FiatCurrency): number {
  return FIATS[currency].minorDecimals;
}

export function isFiatCurrency(code: string): code is FiatCurrency {
  return Object.hasOwn(FIATS, code);
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
