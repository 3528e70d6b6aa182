/**
 * The payout state machine (decision 0015; docs/states.md draws it): pending -> processing ->
 * success, failed or cancelled. And besides:
 * - pending -> failed or cancelled: it ends before anything was signed.
 * - pending -> success: an earlier transaction paid it, which an operator may have named.
 * - failed or cancelled -> success: the chain paid it after all.
 * - processing -> pending (`set_back`): an unknown transaction may have paid it.
 * - success -> processing: a reorganisation removed the block that settled it.
 *
 * After signing, a payout is cancelled only once the chain took a cancellation transaction, or its
 * bytes expired.
 */

import { unreachable } from '../result.ts';
import type { Held } from './held.ts';

export const PAYOUT_STATUSES = ['pending', 'processing', 'success', 'failed', 'cancelled'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/**
 * Statuses with a webhook, for merchants who want them. `pending` is in the response that accepts
 * it.
 */
export const TOLD_PAYOUT_STATUSES = ['processing', 'success', 'failed', 'cancelled'] as const;

export type PayoutEvent =
  | { readonly type: 'signed'; readonly txid: string; readonly at: Date }
  | { readonly type: 'confirmed'; readonly txid: string; readonly at: Date }
  /** `txid`: the mined transaction that had no effect; absent if none was mined. */
  | { readonly type: 'failed'; readonly reason: string; readonly at: Date; readonly txid?: string }
  /** By an operator; `txid` as of `failed`. */
  | { readonly type: 'cancelled'; readonly at: Date; readonly txid?: string }
  /**
   * Nothing signed here pays it any more, but an unknown transaction may have: an operator decides
   * (safety.md K4).
   */
  | { readonly type: 'set_back'; readonly held: Held; readonly at: Date }
  /** The block that settled it left the chain. */
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
   * What to post. `keep`: nothing. `settle`: the reserve becomes a payment. `release`: it returns
   * to the merchant. `retake`: it is taken again and becomes a payment, because the chain paid a
   * failed payout. `unsettle`: the payment becomes a reserve again.
   */
  readonly reserve: 'keep' | 'settle' | 'release' | 'retake' | 'unsettle';
}

/** Whether the merchant is notified of the change. */
export function isTold(
  before: Pick<PayoutState, 'status'>,
  { status }: Pick<PayoutState, 'status'>,
): boolean {
  return status !== before.status && TOLD_PAYOUT_STATUSES.some((told) => told === status);
}

/**
 * The next state, and what happens to the reserved balance. Null when the event cannot happen in
 * this state: the caller does nothing, so a repeated event is harmless.
 */
export function decidePayout(state: PayoutState, event: PayoutEvent): PayoutDecision | null {
  const open = state.status === 'pending' || state.status === 'processing';
  switch (event.type) {
    case 'signed':
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

/** The mined transaction that did not pay. */
function carriedBy({ txHashes }: PayoutState, txid?: string): Pick<PayoutState, 'txid' | 'txHashes'> {
  return txid === undefined ? { txid: null, txHashes } : { txid, txHashes: withHash(txHashes, txid) };
}

function withHash(hashes: readonly string[], txid: string): readonly string[] {
  return hashes.includes(txid) ? hashes : [...hashes, txid];
}
