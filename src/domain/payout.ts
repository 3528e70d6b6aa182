/**
 * The payout state machine: pending -> processing -> success / failed, pending -> cancelled (decisions.md, "States").
 * `decide` returns the next state and what happens to the reserved balance; impossible transitions answer null.
 */
import { unreachable } from './result.ts';

export const PAYOUT_STATUSES = ['pending', 'processing', 'success', 'failed', 'cancelled'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

export type PayoutEvent =
  | { readonly type: 'broadcast'; readonly txid: string; readonly at: Date }
  | { readonly type: 'confirmed'; readonly txid: string; readonly at: Date }
  | { readonly type: 'failed'; readonly reason: string; readonly at: Date }
  | { readonly type: 'cancelled'; readonly at: Date };

export interface PayoutState {
  readonly status: PayoutStatus;
  readonly txid: string | null;
  readonly txHashes: readonly string[];
  readonly failure: string | null;
  readonly processedAt: Date | null;
}

export interface PayoutDecision {
  readonly next: PayoutState;
  /** What to post: the reserve becomes a payment, returns to the merchant, or stays. */
  readonly reserve: 'keep' | 'settle' | 'release';
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
      if (!open) return null;
      return {
        next: {
          ...state,
          status: 'success',
          txid: event.txid,
          txHashes: withHash(state.txHashes, event.txid),
          processedAt: event.at,
        },
        reserve: 'settle',
      };
    case 'failed':
      if (!open) return null;
      return {
        next: { ...state, status: 'failed', failure: event.reason, processedAt: event.at },
        reserve: 'release',
      };
    case 'cancelled':
      if (state.status !== 'pending') return null;
      return { next: { ...state, status: 'cancelled', processedAt: event.at }, reserve: 'release' };
    default:
      return unreachable(event);
  }
}

function withHash(hashes: readonly string[], txid: string): readonly string[] {
  return hashes.includes(txid) ? hashes : [...hashes, txid];
}
