/**
 * The records about one invoice or payout, for its time line. Each list has the newest FACTS_MAX
 * rows, oldest first.
 */
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { EntryKind } from '../../domain/ledger.ts';
import type { CustomerMail } from '../../domain/mails/customer-mail.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { RefundClaim } from '../../domain/payouts/refund-claim.ts';
import type { NotificationAttempt, Scope } from '../list-queries.ts';

export const FACTS_MAX = 200;

export interface IssuedFact {
  readonly family: string;
  readonly address: string;
  /** Null for addresses from before it was stored. */
  readonly issuedAt: Date | null;
}

export interface EntryFact {
  readonly kind: EntryKind;
  readonly referenceId: string;
  readonly depositId: string | null;
  readonly at: Date;
  /** How it moved the merchant's balance. */
  readonly microUsd: bigint;
}

export interface DeliveryFact {
  readonly id: string;
  /** `invoice.success`, for example. */
  readonly type: string;
  readonly url: string | null;
  /** When it happened; null for a webhook that was sent once more. */
  readonly eventAt: Date | null;
  /** What the queue still has of it; null once it was taken, or without a destination. */
  readonly queued: {
    readonly dueAt: Date;
    readonly attempts: number;
    readonly deadAt: Date | null;
  } | null;
}

export type AttemptFact = Pick<
  NotificationAttempt,
  'url' | 'statusCode' | 'responseBody' | 'attempt' | 'sentAt'
>;

export interface InvoiceFacts {
  readonly invoice: Invoice;
  readonly issued: readonly IssuedFact[];
  readonly deposits: readonly Deposit[];
  /** At its own addresses, without belonging to it. */
  readonly unmatched: readonly Deposit[];
  readonly entries: readonly EntryFact[];
  readonly deliveries: readonly DeliveryFact[];
  readonly attempts: readonly AttemptFact[];
  readonly claims: readonly RefundClaim[];
  readonly refunds: readonly Payout[];
  readonly mails: readonly CustomerMail[];
}

export interface SignedFact {
  readonly txid: string;
  /** From 1, among those of its batch: later ones replace earlier ones. */
  readonly ordinal: number;
  /** It moves nothing, and uses the nonce up. */
  readonly voids: boolean;
  readonly signedAt: Date;
  readonly broadcastAt: Date | null;
}

export interface PayoutFacts {
  readonly payout: Payout;
  readonly entries: readonly EntryFact[];
  /** When each transfer of it took its nonce. */
  readonly allocatedAt: readonly Date[];
  readonly signed: readonly SignedFact[];
  readonly deliveries: readonly DeliveryFact[];
  readonly attempts: readonly AttemptFact[];
}

export interface TimelineQueries {
  /** Null if the scope has no such invoice; with `scope` null any invoice. */
  invoiceFacts(scope: Scope | null, id: string): Promise<InvoiceFacts | null>;
  /** The same of a payout; refunds only with `scope` null. */
  payoutFacts(scope: Scope | null, id: string): Promise<PayoutFacts | null>;
}
