/** Exact decimal arithmetic on integers. A division names its rounding; no binary float is involved anywhere. */

/** The value `digits / 10^scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export type Rounding = 'floor' | 'ceil';

const NUMBER = /^(-?)(\d{1,80})(?:\.(\d{1,80}))?(?:[eE]([+-]?\d{1,3}))?$/;
const MAX_EXPONENT = 60;

/** Reads a decimal in JSON's number grammar (an exponent is expanded exactly). Null when it is not one, or is absurdly long. */
export function parseDecimal(text: string): Decimal | null {
  const match = NUMBER.exec(text);
  if (!match) return null;
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > MAX_EXPONENT) return null;
  let digits = BigInt(whole + fraction);
  let scale = fraction.length - exponent;
  if (scale < 0) {
    digits *= 10n ** BigInt(-scale);
    scale = 0;
  }
  while (scale > 0 && digits % 10n === 0n) {
    digits /= 10n;
    scale -= 1;
  }
  return { digits: sign === '-' ? -digits : digits, scale };
}

/** The integer number of `10^-decimals` units, or null when the value has more decimals than that (never rounds). */
export function toUnits(value: Decimal, decimals: number): bigint | null {
  return value.scale > decimals ? null : value.digits * 10n ** BigInt(decimals - value.scale);
}

/** parseDecimal and toUnits in one; for constants and configuration that was checked already. Throws when it does not fit. */
export function unitsOf(text: string, decimals: number): bigint {
  const parsed = parseDecimal(text);
  const units = parsed === null ? null : toUnits(parsed, decimals);
  if (units === null) throw new Error(`not a decimal with at most ${decimals} places: ${text}`);
  return units;
}

/** Writes `units / 10^decimals` as a plain decimal without trailing zeros: formatUnits(1250n, 2) is "12.5". */
export function formatUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return sign + digits;
  const whole = digits.slice(0, -decimals);
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
}

/** a x b / divisor in the named direction, for any sign of the product and a positive divisor. */
export function mulDiv(a: bigint, b: bigint, divisor: bigint, rounding: Rounding): bigint {
  if (divisor <= 0n) throw new Error('mulDiv: the divisor must be positive');
  const product = a * b;
  const quotient = product / divisor;
  const remainder = product % divisor;
  if (remainder === 0n) return quotient;
  if (rounding === 'ceil') return product > 0n ? quotient + 1n : quotient;
  return product < 0n ? quotient - 1n : quotient;
}

/** Rounds `units` to a multiple of `10^(decimals - displayDecimals)`. */
export function roundToDisplay(
  units: bigint,
  precision: { decimals: number; displayDecimals: number },
  rounding: Rounding,
): bigint {
  const step = 10n ** BigInt(Math.max(0, precision.decimals - precision.displayDecimals));
  return mulDiv(units, 1n, step, rounding) * step;
}
