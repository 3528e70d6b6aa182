/** Refund claims: writes inside UnitOfWork.run, and reads. */

import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { RefundClaim } from '../../domain/payouts/refund-claim.ts';

export interface RefundClaimRepository {
  insert(claim: RefundClaim): Promise<void>;
  /**
   * Whether a claim of the same deposit, or else of the same invoice, is open or on its way. Not
   * locked: the caller has locked the deposit or the invoice.
   */
  isStanding(of: Pick<RefundClaim, 'invoiceId' | 'depositId'>): Promise<boolean>;
  /** Base units of the claim's unmatched deposit; zero unless it is credited. Not locked. */
  creditedUnits(id: string): Promise<bigint>;
  /** Not locked. */
  find(id: string): Promise<RefundClaim | null>;
  /** A claim is locked after its payout and before its invoice. */
  lock(id: string): Promise<RefundClaim | null>;
  save(claim: RefundClaim): Promise<void>;
  /** How many payouts it had, those that came to nothing included. */
  payouts(id: string): Promise<number>;
  /** Locks up to `limit` open claims whose time is over, oldest first; skips locked rows. */
  lockOverdue(now: Date, limit: number): Promise<readonly RefundClaim[]>;
  /** How many live claims to refunds in these assets are open. */
  countOpen(assets: readonly string[]): Promise<number>;
  /** Ends the time of all open claims, or of those in these assets. */
  endOpen(of: { assets: readonly string[] | null; at: Date }): Promise<void>;
}

type ClaimOwner = Pick<RefundClaim, 'merchantId' | 'sandbox'>;

export interface RefundClaimQueries {
  refundClaim(owner: ClaimOwner, id: string): Promise<ClaimWithPayout | null>;
  /** Of an invoice, the newest first. */
  refundClaims(owner: ClaimOwner, invoiceId: string): Promise<readonly ClaimWithPayout[]>;
  /** Of any merchant. */
  anyRefundClaim(id: string): Promise<ClaimWithPayout | null>;
  /** The newest claim that the invoice's checkout leads to; null if there is none. */
  checkoutClaim(invoiceId: string): Promise<ClaimWithPayout | null>;
}

export interface ClaimWithPayout {
  readonly claim: RefundClaim;
  /** The one that pays it; null while it is open. */
  readonly payout: Payout | null;
}
