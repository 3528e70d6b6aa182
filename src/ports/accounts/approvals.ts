/** Orders of the console and their approvals: writes inside UnitOfWork.run, and reads. */
import type { Approval, ApprovalStatus, MovedLately } from '../../domain/accounts/approval.ts';

export interface ApprovalRepository {
  /** False, and nothing is written, if its requester sent the same form before. */
  insertIfAbsent(approval: Approval): Promise<boolean>;
  /** Null if the requester never sent that form. */
  ofForm(requestedBy: string, formId: string): Promise<Approval | null>;
  /**
   * Orders and approvals of one user wait for each other, so that `movedLately` counts all of them.
   * Taken before every other lock.
   */
  lockUser(userId: string): Promise<void>;
  /** Taken before the locks of what is ordered. */
  lock(id: string): Promise<Approval | null>;
  save(approval: Approval): Promise<void>;
  /**
   * What the user ordered alone or approved after `since`, and what was not given up. Null for
   * `merchantId` and `sandbox`: the operators' kinds.
   */
  movedLately(of: {
    userId: string;
    merchantId: string | null;
    sandbox: boolean | null;
    since: Date;
  }): Promise<MovedLately>;
  /** Locks up to `limit` waiting ones whose time is over, oldest first; skips locked rows. */
  lockOverdue(now: Date, limit: number): Promise<readonly Approval[]>;
  /** Approved by then, oldest first, and neither done nor failed: what a kill left. Not locked. */
  approvedBy(at: Date, limit: number): Promise<readonly Approval[]>;
}

export interface ApprovalQueries {
  /**
   * The newest first. Of a merchant: those of the environment, and those of both. Null: the
   * operators'. No `statuses`: all.
   */
  approvals(filter: {
    merchantId: string | null;
    sandbox: boolean;
    statuses: readonly ApprovalStatus[];
    limit: number;
  }): Promise<readonly Approval[]>;
  approval(id: string): Promise<Approval | null>;
  /** How many of the operators' wait. */
  approvalsWaiting(): Promise<number>;
}
