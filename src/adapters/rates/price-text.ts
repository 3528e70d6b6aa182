/** Prices as text: exact, plain decimals above zero, whatever notation the source used. */
import { formatUnits, parseDecimal } from '../../domain/decimal.ts';

/** Digits after the point of an inverted price: enough for six significant ones at a rate of a trillion per USD. */
const INVERSE_DECIMALS = 18;

/** `1.5e-7` as `0.00000015`; null for anything that is not a decimal above zero. */
export function priceText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const parsed = parseDecimal(value);
  return parsed === null || parsed.digits <= 0n ? null : formatUnits(parsed.digits, parsed.scale);
}

/** 1 / value, rounded down to 18 decimals; null as above, or when nothing is left. */
export function invertedPriceText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const parsed = parseDecimal(value);
  if (parsed === null || parsed.digits <= 0n) return null;
  const units = 10n ** BigInt(INVERSE_DECIMALS + parsed.scale) / parsed.digits;
  return units === 0n ? null : formatUnits(units, INVERSE_DECIMALS);
}

/** The usable ones of `entries`, by name. */
export function priceTable(entries: Iterable<readonly [string, string | null]>): Map<string, string> {
  const table = new Map<string, string>();
  for (const [name, price] of entries) if (price !== null) table.set(name, price);
  return table;
}
