/**
 * Numbers that leave in JSON with their exact decimals: `{ "amount": 0.1234567890123456789 }`
 * (decision 0001).
 */
import { formatUnits } from './decimal.ts';

declare const brand: unique symbol;

/** A value that JSON.stringify writes as the very decimal it was made from. */
export interface ExactNumber {
  readonly [brand]: 'ExactNumber';
}

// Part of the language since ES2025's "JSON.parse source text access"; the compiler's library does
// not declare it everywhere.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): ExactNumber };

/** `units / 10^decimals` as an exact JSON number. */
export function exactNumber(units: bigint, decimals: number): ExactNumber {
  return rawJSON(formatUnits(units, decimals));
}
