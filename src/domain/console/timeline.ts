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
  | {
      readonly code: 'status';
      readonly status: string;
      /** Its place among the changes of the status. */
      readonly nth: number;
    }
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
  /** Oldest first (inOrder); what is still to come is last. */
  readonly lines: readonly TimelineLine[];
  readonly unknown: readonly TimelineGap[];
}

/** A claim's line is of what it is now: the customer makes the payout, and the payout its end. */
type Rank = Exclude<TimelineLine['code'], 'refund_claim'> | 'claim_changed' | 'claim_ended';

/** Of one instant: causes before their effects. */
const RANK: readonly Rank[] = [
  ...(['created', 'taken_again', 'reserved', 'held', 'address_given'] as const),
  ...(['payment_seen', 'payment_unmatched', 'nonce_taken', 'signed', 'broadcast'] as const),
  ...(['payment_final', 'payment_held', 'hold_ended', 'payment_credited'] as const),
  ...(['credit_taken_back', 'payment_taken_back'] as const),
  ...(['settled', 'network_fee_charged', 'unsettled', 'network_fee_returned', 'returned'] as const),
  ...(['refund_offered', 'claim_changed', 'refund_ordered', 'refund_ended', 'claim_ended'] as const),
  ...(['status', 'mail', 'webhook_attempt', 'webhook_given_up', 'waiting', 'webhook_due'] as const),
  'expires',
];
const PLACES: ReadonlyMap<Rank, number> = new Map(RANK.map((rank, place) => [rank, place]));

/**
 * By time; of one instant causes before their effects, and changes of status as they followed each
 * other. It is the same in whatever order the lines are given.
 */
export function inOrder(lines: readonly TimelineLine[]): readonly TimelineLine[] {
  return lines
    .map((line) => ({ line, place: placeOf(line), nth: nthOf(line), text: textOf(line) }))
    .toSorted(
      (a, b) =>
        a.line.at.getTime() - b.line.at.getTime() ||
        a.place - b.place ||
        a.nth - b.nth ||
        (a.text < b.text ? -1 : Number(a.text > b.text)),
    )
    .map(({ line }) => line);
}

function placeOf(line: TimelineLine): number {
  return PLACES.get(line.code === 'refund_claim' ? rankOfClaim(line.claim) : line.code) ?? RANK.length;
}

function rankOfClaim({ status }: RefundClaim): Rank {
  return status === 'sent' || status === 'paid' ? 'claim_ended' : 'claim_changed';
}

function nthOf(line: TimelineLine): number {
  if (line.code === 'status') return line.nth;
  if (line.code === 'webhook_attempt') return line.attempt;
  return 'replaces' in line && line.replaces ? 1 : 0;
}

/** Tells apart what nothing else does; ids grow with time. */
function textOf(line: TimelineLine): string {
  return JSON.stringify([subjectOf(line), line], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

function subjectOf(line: TimelineLine): string | null {
  if ('deposit' in line) return line.deposit.id;
  if ('claim' in line) return line.claim.id;
  if ('payout' in line) return line.payout.id;
  return 'mail' in line ? line.mail.id : null;
}
