/**
 * Commission arithmetic. Percentages are integers of a millionth: 1 % = 10,000 ppm (decision 0006).
 */
import { mulDiv } from './decimal.ts';

export const PPM = 1_000_000n;
/** Percentages are accepted with at most this many decimals, so that they are whole ppm. */
export const PERCENT_DECIMALS = 4;
export const DEFAULT_COMMISSION_PPM = 10_000n;

export type FeeBearer = 'merchant' | 'client';

/**
 * What the customer owes for `baseUnits`: a client pays the commission on top, a merchant has it
 * deducted. Rounded up.
 */
export function amountDue(baseUnits: bigint, fee: { bearer: FeeBearer; commissionPpm: bigint }): bigint {
  return fee.bearer === 'client' ? mulDiv(baseUnits, PPM + fee.commissionPpm, PPM, 'ceil') : baseUnits;
}

/**
 * The merchant's part of all `receivedUnits`; the rest is the fee, so credited + fee = received
 * exactly. It never falls as `receivedUnits` grows, so a payment credits creditedOf(after) -
 * creditedOf(before). With bearer client, exactly `dueUnits` credit exactly `baseUnits`.
 */
export function creditedOf(
  receivedUnits: bigint,
  terms: { bearer: FeeBearer; commissionPpm: bigint; baseUnits: bigint; dueUnits: bigint },
): bigint {
  if (terms.bearer === 'merchant') return mulDiv(receivedUnits, PPM - terms.commissionPpm, PPM, 'floor');
  return mulDiv(receivedUnits, terms.baseUnits, terms.dueUnits, 'floor');
}
