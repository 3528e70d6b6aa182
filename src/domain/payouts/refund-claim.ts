/**
 * A customer's claim to a refund (decision 0040): the customer says where the money goes, and a
 * payout sends it. open -> confirmed -> sent -> paid; open -> expired or withdrawn. A payout that
 * comes to nothing opens the claim again. Pure.
 */

import type { InvoiceState } from '../invoices/invoice.ts';
import { surplusUnits } from '../invoices/itemised-price.ts';
import { mulDiv } from '../money/decimal.ts';
import type { FeeBearer } from '../money/fee.ts';
import { unreachable } from '../result.ts';
import type { PayoutStatus } from './payout.ts';

export const CLAIM_STATUSES = ['open', 'confirmed', 'sent', 'paid', 'expired', 'withdrawn'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/**
 * What is given back. `invoice`: an invoice or a part of it, which makes the invoice `refunded`.
 * `surplus`: what was paid too much; the invoice stays paid. `deposit`: an unmatched deposit.
 */
export const CLAIM_SUBJECTS = ['invoice', 'surplus', 'deposit'] as const;
export type ClaimSubject = (typeof CLAIM_SUBJECTS)[number];

const DAY_MS = 86_400_000;
export const CLAIM_DAYS_DEFAULT = 14;
export const CLAIM_DAYS_MAX = 90;
/** A claim that opens again is open for at least so long. */
const REOPENED_MS = 7 * DAY_MS;

export interface RefundClaim {
  readonly id: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly subject: ClaimSubject;
  /** The invoice that it concerns; null for a deposit to an address without one. */
  readonly invoiceId: string | null;
  /** The unmatched deposit; null otherwise. */
  readonly depositId: string | null;
  readonly asset: string;
  /** What is given back, before a network fee: base units of the asset. */
  readonly units: bigint;
  readonly feeBearer: FeeBearer;
  /** The checkout of the invoice leads to it. */
  readonly onCheckout: boolean;
  /** The operator who offered it; null: the merchant. */
  readonly orderedBy: string | null;
  readonly status: ClaimStatus;
  /** The customer's address; null while it is open. */
  readonly address: string | null;
  /** The payout that pays it; null while it is open. */
  readonly payoutId: string | null;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type ClaimEvent =
  /** The customer gave an address, or another one. */
  | { readonly type: 'confirmed'; readonly payoutId: string; readonly address: string; readonly at: Date }
  /** What became of a payout of the claim. */
  | {
      readonly type: 'payout';
      readonly payoutId: string;
      readonly address: string;
      readonly status: PayoutStatus;
      readonly at: Date;
    }
  | { readonly type: 'withdrawn'; readonly at: Date }
  | { readonly type: 'time_passed'; readonly at: Date };

/** When a claim expires that is offered for so many days. */
export function claimEnd(at: Date, days: number): Date {
  return new Date(at.getTime() + days * DAY_MS);
}

/** Whether the customer can give an address: it is open, and its time is not over. */
export function isClaimable({ status, expiresAt }: RefundClaim, at: Date): boolean {
  return status === 'open' && at.getTime() < expiresAt.getTime();
}

/**
 * The claim after the event; null if the event changes nothing, so that a repetition is harmless.
 */
export function decideClaim(claim: RefundClaim, event: ClaimEvent): RefundClaim | null {
  const { at } = event;
  switch (event.type) {
    case 'confirmed': {
      if (!isClaimable(claim, at) && claim.status !== 'confirmed') return null;
      const { payoutId, address } = event;
      return { ...claim, status: 'confirmed', payoutId, address, updatedAt: at };
    }
    case 'payout':
      return afterPayout(claim, event);
    case 'withdrawn':
      return claim.status === 'open' ? { ...claim, status: 'withdrawn', updatedAt: at } : null;
    case 'time_passed': {
      const over = claim.status === 'open' && !isClaimable(claim, at);
      return over ? { ...claim, status: 'expired', updatedAt: at } : null;
    }
    default:
      return unreachable(event);
  }
}

const BY_PAYOUT: Readonly<Record<PayoutStatus, ClaimStatus>> = {
  pending: 'confirmed',
  processing: 'sent',
  success: 'paid',
  failed: 'open',
  cancelled: 'open',
};

/**
 * An earlier payout counts only if the chain paid it after all: then nothing more may be claimed.
 */
function afterPayout(
  claim: RefundClaim,
  { payoutId, address, status: paid, at }: Extract<ClaimEvent, { type: 'payout' }>,
): RefundClaim | null {
  const status = BY_PAYOUT[paid];
  const isPresent = payoutId === claim.payoutId;
  if (!isPresent && (status !== 'paid' || claim.payoutId !== null)) return null;
  if (isPresent && status === claim.status) return null;
  if (status !== 'open') return { ...claim, status, payoutId, address, updatedAt: at };
  const expiresAt = new Date(Math.max(claim.expiresAt.getTime(), at.getTime() + REOPENED_MS));
  return { ...claim, status, payoutId: null, address: null, expiresAt, updatedAt: at };
}

/**
 * The merchant's part of what was paid too much, rounded down: base units of the invoice's asset.
 * `creditedUnits`: what the merchant was credited for all payments.
 */
export function creditedSurplus(
  invoice: Pick<InvoiceState, 'price' | 'funds'>,
  creditedUnits: bigint,
): bigint {
  const { funds } = invoice;
  const over = surplusUnits({ ...invoice, funds: { ...funds, pendingUnits: 0n, heldUnits: 0n } });
  return over === 0n ? 0n : mulDiv(creditedUnits, over, funds.creditedUnits, 'floor');
}
