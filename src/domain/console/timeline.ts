/** The time line of an invoice or a payout: what is shown, and in which order. Pure. */
import type { Deposit } from '../deposits/deposit.ts';
import type { CustomerMail } from '../mails/customer-mail.ts';
import type { Held } from '../payouts/held.ts';
import type { Payout } from '../payouts/payout-record.ts';
import type { RefundClaim } from '../payouts/refund-claim.ts';
import type { Waiting } from '../payouts/waiting-reasons.ts';

/** What happened to a payment, by the ledger. */
export const PAYMENT_STEPS = {
  deposit_arrived: 'payment_final',
  deposit_departed: 'payment_taken_back',
  income: 'payment_credited',
  income_reversed: 'credit_taken_back',
  hold: 'payment_held',
  hold_reversed: 'hold_ended',
} as const;
export type PaymentStep = (typeof PAYMENT_STEPS)[keyof typeof PAYMENT_STEPS];

/** What happened to the money of a payout or refund, by the ledger. */
export const PAYOUT_STEPS = {
  payout_reserved: 'reserved',
  payout_retaken: 'taken_again',
  payout_settled: 'settled',
  payout_unsettled: 'unsettled',
  payout_released: 'returned',
  payout_fee_charged: 'network_fee_charged',
  payout_fee_returned: 'network_fee_returned',
  refund: 'reserved',
  refund_settled: 'settled',
  refund_unsettled: 'unsettled',
  refund_reversed: 'returned',
  refund_fee_charged: 'network_fee_charged',
  refund_fee_returned: 'network_fee_returned',
} as const;
export type PayoutStep = (typeof PAYOUT_STEPS)[keyof typeof PAYOUT_STEPS];

type Line =
  | { readonly code: 'created'; readonly asset: string | null }
  /** The customer chose an asset of this family, or it came with the creation. */
  | { readonly code: 'address_given'; readonly family: string; readonly address: string }
  /** `deposit.status` is what it is now. */
  | { readonly code: 'payment_seen' | 'payment_unmatched'; readonly deposit: Deposit }
  | { readonly code: PaymentStep; readonly depositId: string | null; readonly microUsd: bigint }
  /** A change of status that the merchant is notified of, or the present status. */
  | { readonly code: 'status'; readonly status: string }
  | {
      readonly code: 'webhook_attempt';
      readonly url: string;
      readonly statusCode: number | null;
      readonly responseBody: string | null;
      readonly attempt: number;
    }
  /** `webhook_due`: the next attempt. `webhook_given_up`: there will be none. */
  | {
      readonly code: 'webhook_due' | 'webhook_given_up';
      readonly url: string | null;
      readonly type: string;
      readonly attempts: number;
    }
  | { readonly code: 'refund_offered' | 'refund_claim'; readonly claim: RefundClaim }
  | { readonly code: 'refund_ordered' | 'refund_ended'; readonly payout: Payout }
  /** Queued then; `mail.status` is what became of it. */
  | { readonly code: 'mail'; readonly mail: CustomerMail }
  | { readonly code: 'expires' }
  | { readonly code: 'held'; readonly held: Held }
  | { readonly code: PayoutStep; readonly microUsd: bigint }
  | { readonly code: 'nonce_taken' }
  | {
      readonly code: 'signed' | 'broadcast';
      readonly txid: string;
      /** It replaces an earlier transaction. */
      readonly replaces: boolean;
      readonly voids: boolean;
    }
  /** The time is that of its next attempt. */
  | { readonly code: 'waiting'; readonly waiting: Waiting };

export type TimelineLine = { readonly at: Date } & Line;

/**
 * What a time line cannot show, since it is not stored.
 *
 * - `confirmations`: how the number of confirmations grew.
 * - `choices`: when the customer changed between assets of one family.
 * - `disappeared`: when a payment disappeared before it was final.
 * - `mail_sent`: when an e-mail left; only when it was queued.
 * - `mined`: when a block took the transaction; only when it was final.
 * - `decisions`: who released or held it, and when; the audit log has that.
 * - `older`: there is more than the newest rows of a kind.
 */
export type TimelineGap =
  | 'confirmations'
  | 'choices'
  | 'disappeared'
  | 'mail_sent'
  | 'mined'
  | 'decisions'
  | 'older';

export interface Timeline {
  /** Oldest first; what is still to come is last. */
  readonly lines: readonly TimelineLine[];
  readonly unknown: readonly TimelineGap[];
}

/** Of one instant: causes before their effects. */
const RANK: readonly TimelineLine['code'][] = [
  ...([
    'created',
    'held',
    'reserved',
    'taken_again',
    'address_given',
    'payment_seen',
    'payment_unmatched',
  ] as const),
  ...(['nonce_taken', 'signed', 'broadcast', 'payment_final', 'hold_ended', 'payment_credited'] as const),
  ...([
    'payment_held',
    'credit_taken_back',
    'payment_taken_back',
    'settled',
    'unsettled',
    'returned',
  ] as const),
  ...([
    'network_fee_charged',
    'network_fee_returned',
    'refund_offered',
    'refund_claim',
    'refund_ordered',
  ] as const),
  ...([
    'refund_ended',
    'status',
    'mail',
    'webhook_attempt',
    'webhook_given_up',
    'waiting',
    'webhook_due',
  ] as const),
  'expires',
];

export function inOrder(lines: readonly TimelineLine[]): readonly TimelineLine[] {
  return lines.toSorted(
    (a, b) => a.at.getTime() - b.at.getTime() || RANK.indexOf(a.code) - RANK.indexOf(b.code),
  );
}
