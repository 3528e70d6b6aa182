/**
 * The invoice state machine: `decide(invoice, event)` returns the next invoice and whether the merchant is told.
 * Pure; specification, "States and transitions", and decision 0007 are its source.
 */

import { type FiatCurrency, floorToMinor } from '../catalog/fiat.ts';
import { mulDiv } from '../money/decimal.ts';
import { PPM } from '../money/fee.ts';
import { unreachable } from '../result.ts';

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

/** What the invoice costs in its asset; fixed when the asset is assigned. */
export interface InvoicePrice {
  readonly asset: string;
  readonly dueUnits: bigint;
  readonly baseUnits: bigint;
  readonly originalUnits: bigint | null;
  readonly deferralUnits: bigint;
}

/** Money that belongs to the invoice, in base units of its asset. received_amount is the sum of the three. */
export interface InvoiceFunds {
  /** Seen, not final or not screened yet. */
  readonly pendingUnits: bigint;
  /** Final, passed the risk check and posted to the merchant. */
  readonly creditedUnits: bigint;
  /** Kept on the held account by the risk check. */
  readonly heldUnits: bigint;
}

/** The part of an invoice that changes with payments and time, and what the decisions need to know. */
export interface InvoiceState {
  readonly status: InvoiceStatus;
  /** Grows by one with every change of status; one webhook at most belongs to each value. */
  readonly version: number;
  readonly billingType: BillingType;
  readonly tolerancePpm: bigint;
  readonly price: InvoicePrice | null;
  readonly funds: InvoiceFunds;
  readonly expiresAt: Date;
  readonly processedAt: Date | null;
  /** Transaction and sender of the last on-chain payment. */
  readonly txid: string | null;
  readonly addressFrom: string | null;
}

export type InvoiceEvent =
  | {
      readonly type: 'payment_seen';
      readonly units: bigint;
      readonly txid: string;
      readonly from: string | null;
      readonly at: Date;
    }
  | { readonly type: 'payment_dropped'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'payment_credited'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'payment_held'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'hold_released'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'payment_reversed'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'hold_reversed'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'ttl_passed'; readonly at: Date }
  /** Its merchant calls it off. */
  | { readonly type: 'withdrawn'; readonly at: Date }
  | { readonly type: 'refunded'; readonly at: Date }
  /** The refund was not paid: its money is the merchant's again. */
  | { readonly type: 'refund_failed'; readonly at: Date };

export interface InvoiceDecision {
  readonly next: InvoiceState;
  /** The status changed: `next.version` names the transition. */
  readonly changed: boolean;
  /** The change is one that merchants are told of (specification, "Payload": status values delivered). */
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

/** Statuses from which only an operator, a released hold or a reorganisation moves an invoice. */
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

/** Whether a payment first seen at `seenAt` belongs to the invoice; one that does not is a stray deposit (decision 0007). */
export function accepts(state: InvoiceState, seenAt: Date): boolean {
  return !isFinal(state) && seenAt.getTime() < state.expiresAt.getTime();
}

/**
 * Whether the payments not yet screened are to wait: together worth under 2 USD and not covering the invoice
 * (decision 0006). They queue no risk check and move no state.
 */
export function isDeferred(state: InvoiceState): boolean {
  const { price, funds } = state;
  if (price === null || funds.pendingUnits === 0n) return false;
  return funds.pendingUnits < price.deferralUnits && !covers(state, funds.creditedUnits + funds.pendingUnits);
}

/** received >= amount x (1 - tolerance). */
export function covers(state: InvoiceState, units: bigint): boolean {
  return state.price !== null && units * PPM >= state.price.dueUnits * (PPM - state.tolerancePpm);
}

export function receivedUnits(funds: InvoiceFunds): bigint {
  return funds.pendingUnits + funds.creditedUnits + funds.heldUnits;
}

/** fiat_amount: progress towards initial_fiat_amount at the invoice's own price; paying `amount` exactly reads it exactly. */
export function paidFiatMicros(
  state: Pick<InvoiceState, 'price' | 'funds'>,
  fiat: { currency: FiatCurrency; initialMicros: bigint | null },
): bigint {
  if (state.price === null || fiat.initialMicros === null) return 0n;
  const paid = mulDiv(receivedUnits(state.funds), fiat.initialMicros, state.price.dueUnits, 'floor');
  return floorToMinor(paid, fiat.currency);
}

/** The one transition function of real invoices; the sandbox simulator composes it and never loosens it. */
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
    case 'refunded':
      return state.status === 'refunded' ? unchanged(state) : moveTo(state, 'refunded', event.at);
    case 'refund_failed':
      return state.status === 'refunded' ? refundFailed(state, event.at) : unchanged(state);
    default:
      return unreachable(event);
  }
}

/** Whether an operator may refund the invoice: from any paid state, once unless that refund failed (decision 0007). */
export function isRefundable(state: InvoiceState): boolean {
  return (
    state.funds.creditedUnits > 0n &&
    (state.status === 'success' ||
      state.status === 'paid_over' ||
      state.status === 'partially_paid' ||
      state.status === 'cancelled')
  );
}

function ttlPassed(state: InvoiceState, at: Date): InvoiceDecision {
  if (at.getTime() < state.expiresAt.getTime()) return unchanged(state);
  if (state.status === 'created') return moveTo(state, 'expired', at);
  if (state.status === 'partially_paid' && state.billingType === 'STATIC')
    return moveTo(state, 'cancelled', at);
  return unchanged(state);
}

/** As if its time had been over by then; not once something was paid. */
function withdrawn(state: InvoiceState, at: Date): InvoiceDecision {
  if (state.status !== 'created' || receivedUnits(state.funds) > 0n) return unchanged(state);
  const expiresAt = at < state.expiresAt ? at : state.expiresAt;
  return moveTo({ ...state, expiresAt }, 'expired', at);
}

/** Settled money left the chain: failed when it was all there was, else what the rest says (decision 0007). */
function takenBack(state: InvoiceState, at: Date): InvoiceDecision {
  const { funds } = state;
  const remains = funds.creditedUnits > 0n || funds.heldUnits > 0n;
  const awaited = funds.pendingUnits > 0n && !isDeferred(state);
  if (state.status === 'refunded' || remains || awaited) return settle(state, at);
  return moveTo(state, 'failed', at);
}

/** What its payments say, as if it had never been refunded; one whose time is over does not open again. */
function refundFailed(state: InvoiceState, at: Date): InvoiceDecision {
  const { funds } = state;
  if (funds.creditedUnits === 0n && funds.heldUnits === 0n) return moveTo(state, 'failed', at);
  const status = statusFromFunds(state, at);
  const over = at.getTime() >= state.expiresAt.getTime();
  const ends = status === 'partially_paid' && state.billingType === 'STATIC' && over;
  return moveTo(state, ends ? 'cancelled' : status, at);
}

/** Derives the status from the money: what is pending, held and credited says everything but how time and operators ended it. */
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
  // Once the credited money covers the invoice, dust on its way does not keep the customer waiting.
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
    throw new Error('invoice funds below zero: an event was applied twice or never began');
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
