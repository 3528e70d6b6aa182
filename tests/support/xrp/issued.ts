/**
 * Amounts of the protocol as the test network counts them: drops, or millionths of an issued
 * currency.
 */

interface IssuedAmount {
  readonly currency: string;
  readonly issuer: string;
  readonly value: string;
}

/** Text of drops, or an issued amount. */
export type Amount = string | IssuedAmount;

const MILLION = 1_000_000n;

export const currencyOf = ({ currency, issuer }: IssuedAmount): string => `${currency}.${issuer}`;

export function millionths({ value }: IssuedAmount): bigint {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(value) ?? [];
  if (whole === '') throw new Error(`the test network cannot count ${value}`);
  return BigInt(whole) * MILLION + BigInt(fraction.padEnd(6, '0'));
}

export function issuedAmount(of: string, units: bigint): IssuedAmount {
  const [currency = '', issuer = ''] = of.split('.');
  const fraction = (units % MILLION).toString().padStart(6, '0').replace(/0+$/, '');
  const whole = (units / MILLION).toString();
  return { currency, issuer, value: fraction === '' ? whole : `${whole}.${fraction}` };
}
