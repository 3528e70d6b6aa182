/** What a run may allocate on a chain, as the nodes show it: planned before anything is written. */
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { type DueTrials, NO_TRIALS } from './signing/try-payouts.ts';

export interface AllocationPlan {
  /** Makes transfers of payouts that need no trial; returns how many. */
  allocate(): Promise<number>;
  /** The payouts to try before they take a nonce. They are tried even if `allocate` fails. */
  readonly trials: DueTrials;
}

/** `open`: all transfers of the chain that are not settled. */
export type AllocationPlanner = (
  candidates: readonly Payout[],
  open: readonly OutgoingTransfer[],
) => Promise<AllocationPlan>;

export const NOTHING_TO_ALLOCATE: AllocationPlan = {
  allocate: () => Promise.resolve(0),
  trials: NO_TRIALS,
};
