/**
 * Commission arithmetic. Percentages are integers of a millionth: 1 % = 10,000 ppm (decision 0006).
 */
import { unreachable } from '../result.ts';
import { mulDiv } from './decimal.ts';

export const PPM = 1_000_000n;
/** Percentages are accepted with at most this many decimals, so that they are whole ppm. */
export const PERCENT_DECIMALS = 4;
export const DEFAULT_COMMISSION_PPM = 10_000n;

/** Who pays the commission of an invoice, or the network fee of a payout. */
export const FEE_BEARERS = ['merchant', 'client'] as const;
export type FeeBearer = (typeof FEE_BEARERS)[number];

/**
 * What the customer owes for `baseUnits`: a client pays the commission on top, a merchant has it
 * deducted. Rounded up.
 */
export function amountDue(baseUnits: bigint, fee: { bearer: FeeBearer; commissionPpm: bigint }): bigint {
  const { bearer, commissionPpm } = fee;
  switch (bearer) {
    case 'merchant':
      return baseUnits;
    case 'client':
      return mulDiv(baseUnits, PPM + commissionPpm, PPM, 'ceil');
    default:
      return unreachable(bearer);
  }
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
  const { bearer, commissionPpm, baseUnits, dueUnits } = terms;
  switch (bearer) {
    case 'merchant':
      return mulDiv(receivedUnits, PPM - commissionPpm, PPM, 'floor');
    case 'client':
      return mulDiv(receivedUnits, baseUnits, dueUnits, 'floor');
    default:
      return unreachable(bearer);
  }
}
