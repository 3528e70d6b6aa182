/**
 * The payout state machine: pending -> processing -> success / failed / cancelled, pending -> cancelled (decision 0015),
 * back to processing when a reorganisation removes the block that settled it, and to pending when an operator has to decide anew.
 * What is signed is only cancelled by the chain: when it took the transaction that moves nothing instead. `decidePayout` returns the
 * next state and what happens to the reserved balance; impossible transitions answer null.
 */

import { unreachable } from '../result.ts';
import type { Held } from './held.ts';

export const PAYOUT_STATUSES = ['pending', 'processing', 'success', 'failed', 'cancelled'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** Those that merchants are told of who asked for it; `pending` is what the answer says that accepts it. */
export const TOLD_PAYOUT_STATUSES = ['processing', 'success', 'failed', 'cancelled'] as const;

export type PayoutEvent =
  | { readonly type: 'broadcast'; readonly txid: string; readonly at: Date }
  | { readonly type: 'confirmed'; readonly txid: string; readonly at: Date }
  /** `txid`: the transaction that a block carried without its effect; left out when none of ours was mined. */
  | { readonly type: 'failed'; readonly reason: string; readonly at: Date; readonly txid?: string }
  /** By an operator; `txid` as of `failed`. */
  | { readonly type: 'cancelled'; readonly at: Date; readonly txid?: string }
  /** Nothing of ours pays it any more, and it may have been paid by what is not known here: an operator decides (safety.md K4). */
  | { readonly type: 'set_back'; readonly held: Held; readonly at: Date }
  /** The block that paid it is not on the chain any more. */
  | { readonly type: 'reorganised'; readonly at: Date };

export interface PayoutState {
  readonly status: PayoutStatus;
  readonly txid: string | null;
  readonly txHashes: readonly string[];
  readonly failure: string | null;
  readonly processedAt: Date | null;
}

export interface PayoutDecision {
  readonly next: PayoutState;
  /**
   * What to post: the reserve stays, becomes a payment, returns to the merchant, is taken from the merchant again and
   * becomes a payment (the chain paid what had failed), or the payment becomes a reserve again.
   */
  readonly reserve: 'keep' | 'settle' | 'release' | 'retake' | 'unsettle';
}

/** Whether what became of a payout is a change that its merchant is told of. */
export function isTold(
  before: Pick<PayoutState, 'status'>,
  { status }: Pick<PayoutState, 'status'>,
): boolean {
  return status !== before.status && TOLD_PAYOUT_STATUSES.some((told) => told === status);
}

/** Null when the event cannot happen in this state: the caller does nothing, so a repeated event is harmless. */
export function decidePayout(state: PayoutState, event: PayoutEvent): PayoutDecision | null {
  const open = state.status === 'pending' || state.status === 'processing';
  switch (event.type) {
    case 'broadcast':
      if (!open) return null;
      return {
        next: {
          ...state,
          status: 'processing',
          txid: event.txid,
          txHashes: withHash(state.txHashes, event.txid),
        },
        reserve: 'keep',
      };
    case 'confirmed':
      if (state.status === 'success') return null;
      return {
        next: {
          ...state,
          status: 'success',
          txid: event.txid,
          txHashes: withHash(state.txHashes, event.txid),
          failure: null,
          processedAt: event.at,
        },
        reserve: open ? 'settle' : 'retake',
      };
    case 'failed':
      if (!open) return null;
      return {
        next: {
          ...state,
          status: 'failed',
          failure: event.reason,
          processedAt: event.at,
          ...carriedBy(state, event.txid),
        },
        reserve: 'release',
      };
    case 'cancelled':
      if (!open) return null;
      return {
        next: { ...state, status: 'cancelled', processedAt: event.at, ...carriedBy(state, event.txid) },
        reserve: 'release',
      };
    case 'set_back':
      return open ? { next: { ...state, status: 'pending', txid: null }, reserve: 'keep' } : null;
    case 'reorganised':
      if (state.status !== 'success') return null;
      return { next: { ...state, status: 'processing', processedAt: null }, reserve: 'unsettle' };
    default:
      return unreachable(event);
  }
}

/** The transaction that a block carried instead of a payment. */
function carriedBy({ txHashes }: PayoutState, txid?: string): Pick<PayoutState, 'txid' | 'txHashes'> {
  return txid === undefined ? { txid: null, txHashes } : { txid, txHashes: withHash(txHashes, txid) };
}

function withHash(hashes: readonly string[], txid: string): readonly string[] {
  return hashes.includes(txid) ? hashes : [...hashes, txid];
}
