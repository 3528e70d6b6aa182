/** Why a sweep waits, or failed. */
import { keysOf } from '../catalog/keys-of.ts';
import { type Reason, reasonsFrom } from '../reason.ts';

export const SWEEP_REASONS = {
  withheld: 'the risk check keeps a payment at this address',
  not_worth_it: 'at present it costs too much for what it would bring',
  too_dear: 'the fee is higher than what would be moved',
  undecided: 'nobody decided on what is there, or some of it is missing: decide on the payments, or book it',
  no_place: 'what leaves the hot wallet already, and payouts, come first',
  gas_unknown: 'the hot wallet is asked for gas in the next step',
  liquidity: 'the hot wallet has too little for the gas',
  empty: 'there is nothing to move',
  fees_rose: 'fees rose above the gas that was sent',
  loan_gone: 'no energy is delegated any more',
  loan_refused: 'no energy could be delegated',
  loan_late: 'delegating the energy took too long',
  unsigned: 'its transfer could not be signed at present',
  transfer_failed: 'its transfer had no effect',
  operator: 'given up by an operator',
  earlier_reopened: 'an earlier sweep of the address is open again',
  reorganised: 'a reorganisation removed the block of its transfer',
} as const;
export type SweepReason = Reason<keyof typeof SWEEP_REASONS>;
export const sweepReason = reasonsFrom(SWEEP_REASONS);
export const SWEEP_REASON_CODES = keysOf(SWEEP_REASONS);
