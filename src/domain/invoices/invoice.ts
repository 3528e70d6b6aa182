/**
 * The invoice state machine: `decide(invoice, event)` returns the next invoice and whether the
 * merchant is notified. Pure. Sources: specification, "States and transitions", and decision 0007.
 */

import { PPM } from '../money/fee.ts';
import { unreachable } from '../result.ts';
import type { InvoiceEvent } from './invoice-event.ts';

export const INVOICE_STATUSES = [
  'created',
  'confirming',
  'partially_paid',
  'paid_over',
  'success',
  'failed',
  'high_risk',
  'expired',
  'cancelled',
  'refunded',
] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];
export type BillingType = 'STATIC' | 'VARY';

/** The price in the invoice's asset, fixed when the asset is set. */
export interface InvoicePrice {
  readonly asset: string;
  readonly dueUnits: bigint;
  readonly baseUnits: bigint;
  readonly originalUnits: bigint | null;
  readonly deferralUnits: bigint;
}

/** Money of the invoice, in base units of its asset. received_amount is the sum of all three. */
export interface InvoiceFunds {
  /** Seen, not final or not screened yet. */
  readonly pendingUnits: bigint;
  /** Final, passed the risk check and posted to the merchant. */
  readonly creditedUnits: bigint;
  /** Stopped by the risk check; on the held account. */
  readonly heldUnits: bigint;
}

/** The part of an invoice that payments and time change, and the facts that decisions need. */
export interface InvoiceState {
  readonly status: InvoiceStatus;
  /** Grows by one with each change of status; at most one webhook per value. */
  readonly version: number;
  readonly billingType: BillingType;
  readonly tolerancePpm: bigint;
  /** The credited base units that the merchant accepted as full payment; null: none. */
  readonly acceptedUnits: bigint | null;
  readonly price: InvoicePrice | null;
  readonly funds: InvoiceFunds;
  readonly expiresAt: Date;
  readonly processedAt: Date | null;
  /** Transaction and sender of the last on-chain payment. */
  readonly txid: string | null;
  readonly addressFrom: string | null;
}

export interface InvoiceDecision {
  readonly next: InvoiceState;
  /** The status changed: `next.version` names the transition. */
  readonly changed: boolean;
  /**
   * The change is one that merchants are told of (specification, "Payload": status values
   * delivered).
   */
  readonly notify: boolean;
}

const DELIVERED: ReadonlySet<InvoiceStatus> = new Set([
  'confirming',
  'partially_paid',
  'paid_over',
  'success',
  'failed',
  'high_risk',
  'cancelled',
]);

/** Whether a change to this status is pushed to the merchant. */
export function isDelivered(status: InvoiceStatus): boolean {
  return DELIVERED.has(status);
}

/** Whether only an operator, a released hold or a reorganisation can still change the status. */
export function isFinal(state: Pick<InvoiceState, 'status' | 'billingType'>): boolean {
  switch (state.status) {
    case 'created':
    case 'confirming':
      return false;
    case 'partially_paid':
      return state.billingType === 'VARY';
    default:
      return true;
  }
}

/**
 * Whether a payment first seen at `seenAt` belongs to the invoice; else it is unmatched (decision
 * 0007).
 */
export function accepts(state: InvoiceState, seenAt: Date): boolean {
  return !isFinal(state) && seenAt.getTime() < state.expiresAt.getTime();
}

/**
 * Whether the unscreened payments wait: together they are worth less than 2 USD and do not cover
 * the invoice (decision 0006). They start no risk check and change no status.
 */
export function isDeferred(state: InvoiceState): boolean {
  const { price, funds } = state;
  if (price === null || funds.pendingUnits === 0n) return false;
  return funds.pendingUnits < price.deferralUnits && !covers(state, funds.creditedUnits + funds.pendingUnits);
}

/**
 * Whether the deferred payments of a high-risk invoice wait for nothing: it takes no others, and an
 * operator rejected what was held. `held`: one of its payments still is.
 */
export function isLeftBehind(state: InvoiceState, { held }: { readonly held: boolean }): boolean {
  return state.status === 'high_risk' && !held && isDeferred(state);
}

/** received >= amount x (1 - tolerance), or as much as the merchant accepted. */
export function covers(state: InvoiceState, units: bigint): boolean {
  const { price, acceptedUnits, tolerancePpm } = state;
  if (price === null) return false;
  if (acceptedUnits !== null && units >= acceptedUnits) return true;
  return units * PPM >= price.dueUnits * (PPM - tolerancePpm);
}

export function receivedUnits(funds: InvoiceFunds): bigint {
  return funds.pendingUnits + funds.creditedUnits + funds.heldUnits;
}

/** The one transition function. The sandbox simulator has its own (invoice-simulation.ts). */
export function decide(state: InvoiceState, event: InvoiceEvent): InvoiceDecision {
  switch (event.type) {
    case 'payment_seen': {
      const seen = { ...state, txid: event.txid, addressFrom: event.from ?? state.addressFrom };
      return settle(withFunds(seen, { pendingUnits: event.units }), event.at);
    }
    case 'payment_dropped':
      return settle(withFunds(state, { pendingUnits: -event.units }), event.at);
    case 'payment_credited':
      return settle(withFunds(state, { pendingUnits: -event.units, creditedUnits: event.units }), event.at);
    case 'payment_held':
      return settle(withFunds(state, { pendingUnits: -event.units, heldUnits: event.units }), event.at);
    case 'hold_released':
      return settle(withFunds(state, { heldUnits: -event.units, creditedUnits: event.units }), event.at);
    case 'payment_reversed':
      return takenBack(withFunds(state, { creditedUnits: -event.units }), event.at);
    case 'hold_reversed':
      return takenBack(withFunds(state, { heldUnits: -event.units }), event.at);
    case 'ttl_passed':
      return ttlPassed(state, event.at);
    case 'withdrawn':
      return withdrawn(state, event.at);
    case 'accepted':
      return accepted(state, event.at);
    case 'refunded':
      return refunded(state, event.at);
    case 'refund_failed':
      return refundFailed(state, event.at);
    default:
      return unreachable(event);
  }
}

/**
 * Whether an operator may refund the invoice: from any paid state, once unless that refund failed
 * (decision 0007).
 */
export function isRefundable(state: InvoiceState): boolean {
  return (
    state.funds.creditedUnits > 0n &&
    (state.status === 'success' ||
      state.status === 'paid_over' ||
      state.status === 'partially_paid' ||
      state.status === 'cancelled')
  );
}

/** Whether the merchant may accept what was paid: a part, and no other payment waits (0007). */
export function isAcceptable({ status, billingType, funds }: InvoiceState): boolean {
  const isPart = billingType === 'STATIC' && (status === 'partially_paid' || status === 'cancelled');
  return isPart && funds.creditedUnits > 0n && funds.pendingUnits === 0n && funds.heldUnits === 0n;
}

function refunded(state: InvoiceState, at: Date): InvoiceDecision {
  return state.status === 'refunded' ? unchanged(state) : moveTo(state, 'refunded', at);
}

function accepted(state: InvoiceState, at: Date): InvoiceDecision {
  if (!isAcceptable(state)) return unchanged(state);
  const next = { ...state, acceptedUnits: state.funds.creditedUnits };
  return moveTo(next, statusFromFunds(next, at), at);
}

function ttlPassed(state: InvoiceState, at: Date): InvoiceDecision {
  if (at.getTime() < state.expiresAt.getTime()) return unchanged(state);
  if (state.status === 'created') return moveTo(state, 'expired', at);
  if (state.status === 'partially_paid' && state.billingType === 'STATIC')
    return moveTo(state, 'cancelled', at);
  return unchanged(state);
}

/** Ends it as if it had expired; not allowed once something was paid. */
function withdrawn(state: InvoiceState, at: Date): InvoiceDecision {
  if (state.status !== 'created' || receivedUnits(state.funds) > 0n) return unchanged(state);
  const expiresAt = at < state.expiresAt ? at : state.expiresAt;
  return moveTo({ ...state, expiresAt }, 'expired', at);
}

/**
 * Credited money left the chain: failed if nothing is left, else by what is left (decision 0007).
 */
function takenBack(state: InvoiceState, at: Date): InvoiceDecision {
  const { funds } = state;
  const remains = funds.creditedUnits > 0n || funds.heldUnits > 0n;
  const awaited = funds.pendingUnits > 0n && !isDeferred(state);
  if (state.status === 'refunded' || remains || awaited) return settle(state, at);
  return moveTo(state, 'failed', at);
}

/** The status by its payments, as if never refunded; an ended invoice does not reopen. */
function refundFailed(state: InvoiceState, at: Date): InvoiceDecision {
  if (state.status !== 'refunded') return unchanged(state);
  const { funds } = state;
  if (funds.creditedUnits === 0n && funds.heldUnits === 0n) return moveTo(state, 'failed', at);
  const status = statusFromFunds(state, at);
  const over = at.getTime() >= state.expiresAt.getTime();
  const ends = status === 'partially_paid' && state.billingType === 'STATIC' && over;
  return moveTo(state, ends ? 'cancelled' : status, at);
}

/** Derives the status from the pending, held and credited money. */
function settle(state: InvoiceState, at: Date): InvoiceDecision {
  if (state.status === 'refunded' || state.status === 'cancelled' || state.status === 'expired') {
    return unchanged(state);
  }
  return moveTo(state, statusFromFunds(state, at), at);
}

function statusFromFunds(state: InvoiceState, at: Date): InvoiceStatus {
  const { price, funds } = state;
  if (price === null) return state.status;
  if (funds.heldUnits > 0n) return 'high_risk';
  const creditedCovers = funds.creditedUnits > 0n && covers(state, funds.creditedUnits);
  const waits = funds.pendingUnits > 0n && !isDeferred(state);
  // once the credited money covers the invoice, pending small deposits do not delay success
  if (waits && !(creditedCovers && funds.pendingUnits < price.deferralUnits)) return 'confirming';
  if (funds.creditedUnits === 0n)
    return at.getTime() >= state.expiresAt.getTime() && state.status === 'confirming'
      ? 'failed'
      : unpaid(state);
  if (!creditedCovers) return 'partially_paid';
  return state.billingType === 'STATIC' && funds.creditedUnits > price.dueUnits ? 'paid_over' : 'success';
}

function unpaid(state: InvoiceState): InvoiceStatus {
  return state.status === 'failed' ? 'failed' : 'created';
}

function withFunds(state: InvoiceState, change: Partial<InvoiceFunds>): InvoiceState {
  const funds: InvoiceFunds = {
    pendingUnits: state.funds.pendingUnits + (change.pendingUnits ?? 0n),
    creditedUnits: state.funds.creditedUnits + (change.creditedUnits ?? 0n),
    heldUnits: state.funds.heldUnits + (change.heldUnits ?? 0n),
  };
  if (funds.pendingUnits < 0n || funds.creditedUnits < 0n || funds.heldUnits < 0n) {
    throw new Error(
      'invoice funds below zero: an event was applied twice, or its payment was never recorded',
    );
  }
  return { ...state, funds };
}

function unchanged(state: InvoiceState): InvoiceDecision {
  return { next: state, changed: false, notify: false };
}

function moveTo(state: InvoiceState, status: InvoiceStatus, at: Date): InvoiceDecision {
  if (status === state.status) return unchanged(state);
  const next: InvoiceState = { ...state, status, version: state.version + 1 };
  const processedAt = isFinal(next) ? at : null;
  return { next: { ...next, processedAt }, changed: true, notify: DELIVERED.has(status) };
}
