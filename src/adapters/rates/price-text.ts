/** Prices as text: exact, plain decimals above zero, from any notation of a source. */
import { formatUnits, parseDecimal } from '../../domain/money/decimal.ts';
import type { QuotedPrice } from '../../domain/rates/quote-age.ts';

/**
 * Decimals of an inverted price: enough for six significant digits at a rate of a trillion per USD.
 */
const INVERSE_DECIMALS = 18;

/** `1.5e-7` as `0.00000015`; null for anything but a decimal above zero. */
export function priceText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const parsed = parseDecimal(value);
  return parsed === null || parsed.digits <= 0n ? null : formatUnits(parsed.digits, parsed.scale);
}

/** 1 / value, rounded down to 18 decimals; null as above, or if the result is zero. */
export function invertedPriceText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const parsed = parseDecimal(value);
  if (parsed === null || parsed.digits <= 0n) return null;
  const units = 10n ** BigInt(INVERSE_DECIMALS + parsed.scale) / parsed.digits;
  return units === 0n ? null : formatUnits(units, INVERSE_DECIMALS);
}

/** A price's time, and the fields that change with every trade. By default a source has neither. */
interface PriceMark {
  readonly at?: Date | null;
  readonly mark?: readonly unknown[];
}

/** Null without a price. */
export function quoted(price: string | null, { at = null, mark = [] }: PriceMark = {}): QuotedPrice | null {
  const marks = mark.filter((part) => typeof part === 'string');
  return price === null ? null : { price, at, mark: [price, ...marks].join(' ') };
}

/** The result for the first of the names that has one. */
export function firstOf(
  names: readonly string[],
  find: (name: string) => QuotedPrice | null,
): QuotedPrice | null {
  for (const name of names) {
    const found = find(name);
    if (found !== null) return found;
  }
  return null;
}

/** Whether a volume or a number of trades, as text, is zero: there was no trade. */
export function isNothing(value: unknown): boolean {
  return typeof value === 'string' && parseDecimal(value)?.digits === 0n;
}

/** A time in whole seconds or milliseconds since 1970, as text; null for anything else. */
export function timeText(value: unknown, unitMs: 1 | 1000): Date | null {
  return typeof value === 'string' && /^\d{9,13}$/.test(value) ? new Date(Number(value) * unitMs) : null;
}

/** The usable ones of `entries`, by name. */
export function priceTable(
  entries: Iterable<readonly [string, QuotedPrice | null]>,
): Map<string, QuotedPrice> {
  const table = new Map<string, QuotedPrice>();
  for (const [name, price] of entries) if (price !== null) table.set(name, price);
  return table;
}
