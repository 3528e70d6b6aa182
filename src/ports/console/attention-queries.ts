/** The list of what needs a merchant's attention. */
import type { AttentionCode } from '../../domain/console/attention.ts';
import type { StrayReason } from '../../domain/deposits/stray-reason.ts';
import type { Page, PageRequest, Scope } from '../list-queries.ts';

export interface AttentionCase {
  readonly code: AttentionCode;
  /**
   * The last change of an invoice or payout, when a payment was first seen, when a refund was
   * offered, or when a webhook was given up.
   */
  readonly since: Date;
  /** Of what it is about; the others are null. */
  readonly invoiceId: string | null;
  readonly depositId: string | null;
  readonly payoutId: string | null;
  readonly claimId: string | null;
  readonly deliveryId: string | null;
  /** For unmatched deposits only. */
  readonly strayReason: StrayReason | null;
  readonly asset: string | null;
  /**
   * Base units: what is missing, what is too much, the deposit, the payout, or what the claim gives
   * back.
   */
  readonly units: bigint | null;
}

export type AttentionCounts = Readonly<Record<AttentionCode, number>>;

/** The pages of one list reach so many cases; the total counts all. */
export const ATTENTION_REACH = 5_000;

export interface AttentionQueries {
  /**
   * Newest first, of one code or of all (null). `from`: earlier partly and overpaid invoices,
   * failed payouts and webhooks that were given up are left out (ATTENTION_DAYS). `counts`, if they
   * are known already.
   */
  attention(
    scope: Scope,
    wanted: { readonly from: Date; readonly code: AttentionCode | null; readonly counts?: AttentionCounts },
    page: PageRequest,
  ): Promise<Page<AttentionCase>>;
  attentionCounts(scope: Scope, from: Date): Promise<AttentionCounts>;
}
