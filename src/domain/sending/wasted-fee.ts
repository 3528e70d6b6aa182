/**
 * Who bears what the network took for a payout without paying it: the merchant whose payment it was
 * (safety.md G2). Pure.
 */
import type { OutgoingState } from './outgoing.ts';
import type { FailureCode } from './outgoing-failure.ts';

/**
 * Why a signed payment may be given up: where that is its recipient's doing, or follows from it,
 * the merchant bears what it costs to use its nonce up. What operators, policies, nodes and the
 * market do is the operator's.
 */
export const MERCHANTS_DOING: readonly FailureCode[] = ['chain_refused', 'payout_ended'];

/**
 * Why a payment that a block took had no effect, where that is no merchant's doing: the operator
 * bears what it cost.
 */
export const OPERATORS_DOING: FailureCode = 'unfunded';

/** The transaction of the block in question, among all that were signed for the transfer. */
export interface MinedOf {
  /** Whether it moves nothing, and only uses the nonce up. */
  readonly voids: boolean;
  /** Whether a payment was signed before it, or by it. */
  readonly paymentSigned: boolean;
}

/**
 * What a payout's transfer going from one state to the next means for its merchant: its fee is
 * charged, or comes back since the block that took it is gone. A payment is signed under one nonce
 * only, so a payout has one such fee at a time.
 */
export function wastedFeeChange(
  before: OutgoingState,
  after: OutgoingState,
  { voids, paymentSigned }: MinedOf,
): 'charge' | 'return' | null {
  const wasted = ({ status, feeUnits, failure }: OutgoingState): boolean =>
    status === 'failed' &&
    feeUnits !== null &&
    feeUnits > 0n &&
    failure !== null &&
    (voids ? paymentSigned && MERCHANTS_DOING.includes(failure.code) : failure.code !== OPERATORS_DOING);
  if (wasted(before) === wasted(after)) return null;
  return wasted(after) ? 'charge' : 'return';
}
