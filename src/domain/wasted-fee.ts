/** Who bears what the network took for a payout: the merchant where his payment had no effect (safety.md G2). Pure. */
import type { OutgoingState } from './outgoing.ts';

/**
 * What a payout's transfer going from one state to the next means for its merchant: its fee is charged, or comes back since the block
 * that took it is gone. `paying`: whether the transaction of that block was to pay; one that gives a sequence up is the operator's.
 */
export function wastedFeeChange(
  before: OutgoingState,
  after: OutgoingState,
  paying: boolean,
): 'charge' | 'return' | null {
  const wasted = ({ status, feeUnits }: OutgoingState): boolean =>
    paying && status === 'failed' && feeUnits !== null && feeUnits > 0n;
  if (wasted(before) === wasted(after)) return null;
  return wasted(after) ? 'charge' : 'return';
}
