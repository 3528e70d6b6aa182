/**
 * Exact decimal arithmetic on integers. A division names its rounding; no binary float is involved
 * anywhere.
 */

/** The value `digits / 10^scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export type Rounding = 'floor' | 'ceil';

const NUMBER = /^(-?)(\d{1,80})(?:\.(\d{1,80}))?(?:[eE]([+-]?\d{1,3}))?$/;
const MAX_EXPONENT = 60;

/**
 * Parses JSON's number grammar; an exponent is expanded exactly. Null if it is none, or absurdly
 * long.
 */
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
  return trimmed({ digits: sign === '-' ? -digits : digits, scale });
}

/** Without trailing zeros behind the point. */
function trimmed({ digits, scale }: Decimal): Decimal {
  let [shorter, places] = [digits, scale];
  while (places > 0 && shorter % 10n === 0n) {
    shorter /= 10n;
    places -= 1;
  }
  return { digits: shorter, scale: places };
}

/**
 * The integer number of `10^-decimals` units; null if the value has more decimals. Never rounds.
 */
export function toUnits(value: Decimal, decimals: number): bigint | null {
  return value.scale > decimals ? null : value.digits * 10n ** BigInt(decimals - value.scale);
}

/** Significant digits of a printed double with rounding noise. */
const NOISY_DIGITS = { min: 15, max: 17 };
/** Noise is at most this part of the value. */
const NOISE_PART = 1_000_000_000n;

/**
 * The value with at most `decimals` places. One with more is rounded to the nearest only if it
 * looks like the noise of a binary float (30.000000000000004 for 30): as many digits as a double,
 * and within 1e-9 of the result. Else null.
 */
export function withoutNoise(value: Decimal, decimals: number): Decimal | null {
  if (value.scale <= decimals) return value;
  const size = value.digits < 0n ? -value.digits : value.digits;
  const places = size.toString().length;
  if (places < NOISY_DIGITS.min || places > NOISY_DIGITS.max) return null;
  const step = 10n ** BigInt(value.scale - decimals);
  const nearest = (size + step / 2n) / step;
  const noise = nearest * step - size;
  if ((noise < 0n ? -noise : noise) * NOISE_PART > nearest * step) return null;
  return trimmed({ digits: value.digits < 0n ? -nearest : nearest, scale: decimals });
}

/**
 * parseDecimal and toUnits in one, for constants and checked configuration. Throws if it does not
 * fit.
 */
export function unitsOf(text: string, decimals: number): bigint {
  const parsed = parseDecimal(text);
  const units = parsed === null ? null : toUnits(parsed, decimals);
  if (units === null) throw new Error(`not a decimal with at most ${decimals} places: ${text}`);
  return units;
}

/**
 * Writes `units / 10^decimals` as a plain decimal without trailing zeros: formatUnits(1250n, 2) is
 * "12.5".
 */
export function formatUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return sign + digits;
  const whole = digits.slice(0, -decimals);
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
}

/** a x b / divisor, rounded as named. The product may be negative, the divisor is positive. */
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
