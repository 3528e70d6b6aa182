/**
 * Reads of operators' scripts and metrics, across merchants. No locks and no writes, except what
 * reconciliation notes of its own.
 */

import type { Deposit } from '../domain/deposits/deposit.ts';
import type { Merchant } from '../domain/merchants/merchant.ts';
import type { PayoutStatus } from '../domain/payouts/payout.ts';
import type { Payout } from '../domain/payouts/payout-record.ts';
import type { OutgoingTransfer } from '../domain/sending/outgoing.ts';
import type { ApprovalQueries } from './accounts/approvals.ts';
import type { AuditQueries } from './audit/audit-log.ts';
import type { NotedTransaction } from './chains/unknown-transactions.ts';
import type { StoredNotice } from './notices/stored-notice.ts';
import type { RecordedBackup } from './runtime/backup-record.ts';
import type { BookChecks } from './treasury/book-checks.ts';

export interface ListedMerchant extends Merchant {
  readonly hasLiveKey: boolean;
  readonly hasSandboxKey: boolean;
  /** Until when an older key works, or worked, beside the newest; null without an overlap. */
  readonly oldLiveKeyUntil: Date | null;
  readonly oldSandboxKeyUntil: Date | null;
}

export interface OperatorQueries extends AuditQueries, ApprovalQueries, BookChecks {
  /** All of them, oldest first. */
  merchants(): Promise<readonly ListedMerchant[]>;
  /** The names of those that exist, by id. */
  merchantNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** By id, or by a part of the name (null: all), newest first: those made before `before`. */
  merchantPage(
    text: string | null,
    page: { readonly before: string | null; readonly limit: number },
  ): Promise<readonly ListedMerchant[]>;
  merchant(id: string): Promise<ListedMerchant | null>;
  deposits(filter: {
    statuses: readonly Deposit['status'][];
    sandbox: boolean | null;
    limit: number;
  }): Promise<readonly Deposit[]>;
  /** Payouts and refunds of all merchants and both environments, newest first. */
  payouts(filter: OperatorPayoutFilter): Promise<readonly OperatorPayout[]>;
  /**
   * The newest transactions of our wallets that this gateway did not sign, and that have a payment
   * which is no payout of ours.
   */
  unknownTransactions(of: { chains: readonly string[]; limit: number }): Promise<readonly NotedTransaction[]>;
  /** Since when signing is stopped, and why; null if it is not. */
  signingStopped(): Promise<{ readonly at: Date; readonly note: string } | null>;
  /**
   * Deliveries that ended `dead` at or after `since`, and after `after`: the first come first. Of
   * an invoice only its latest that has a URL: one that another followed, which waits, was
   * delivered or died itself, is left out.
   */
  deadDeliveries(filter: {
    since: Date | null;
    after: Pick<DeadDelivery, 'id' | 'deadAt'> | null;
    limit: number;
  }): Promise<readonly DeadDelivery[]>;
  /** How many deliveries became dead since then. */
  countDeadDeliveries(since: Date): Promise<number>;
  /**
   * Normalized live addresses of invoices that wait for `asset`, or may be paid in it after an
   * earlier choice, and of the family's active permanent addresses.
   */
  addressesExpecting(asset: { family: string; asset: string }): Promise<readonly string[]>;
  /**
   * What to follow at a source that shows no whole blocks, normalized: `addressesExpecting`, the
   * addresses of the `newest` invoices, the `newest` deactivated permanent ones, and those of the
   * `coins` largest unclaimed UTXOs.
   */
  addressesToFollow(what: {
    family: string;
    chain: string;
    asset: string;
    newest: number;
    coins: number;
  }): Promise<readonly string[]>;
  /** Up to `limit` notices: open ones first, then the newest first. */
  operatorNotices(of: { limit: number }): Promise<readonly StoredNotice[]>;
  /** The newest backup that was recorded; null if there is none. */
  newestBackup(): Promise<RecordedBackup | null>;
  metrics(now: Date): Promise<OperatorMetrics>;
  /** Only what waits for somebody or something: the number of open invoices does not slow it. */
  waitingWork(now: Date): Promise<WaitingWork>;
}

export type WaitingWork = Pick<
  OperatorMetrics,
  'webhooksPending' | 'oldestDueWebhookSeconds' | 'payoutsHeld' | 'payoutsWaiting' | 'heldOpen' | 'straysOpen'
>;

export interface DeadDelivery {
  readonly id: string;
  /** Null if it reports a payout. */
  readonly invoiceId: string | null;
  readonly url: string;
  readonly deadAt: Date;
}

export interface OperatorPayoutFilter {
  readonly statuses: readonly PayoutStatus[];
  /** Only those that wait for an operator to release them. */
  readonly held: boolean;
  /** Only those that could not be sent at the last try. */
  readonly waiting: boolean;
  readonly merchantId: string | null;
  /** Only this one. */
  readonly id?: string;
  readonly limit: number;
}

export interface OperatorPayout {
  readonly payout: Payout;
  /**
   * Its newest transfer that is still in its batch; null before there is one, and in the sandbox.
   */
  readonly transfer:
    | (Pick<OutgoingTransfer, 'id' | 'status' | 'chain' | 'wallet' | 'nonce' | 'voided' | 'failure'> & {
        /** Every transaction that was signed for it, by ordinal. */
        readonly txids: readonly string[];
      })
    | null;
}

export interface OperatorMetrics {
  readonly webhooksPending: number;
  /** Among those that no open circuit delays. */
  readonly oldestDueWebhookSeconds: number;
  /** Due, and waiting for a receiver that does not answer. */
  readonly webhooksHeldBack: number;
  readonly circuitsByState: Readonly<Record<string, number>>;
  readonly depositsToScreen: number;
  readonly straysOpen: number;
  readonly heldOpen: number;
  readonly payoutsByStatus: Readonly<Record<string, number>>;
  /** Payouts that an operator has to release. */
  readonly payoutsHeld: number;
  /** Payouts that could not be sent at the last try, by code (WAITING_REASONS). */
  readonly payoutsWaiting: Readonly<Record<string, number>>;
  readonly signingStopped: boolean;
  readonly invoicesByStatus: Readonly<Record<string, number>>;
  /** Alarms whose end was not reported yet. */
  readonly noticesOpen: number;
  /** Messages to operators that are waiting for an attempt. */
  readonly noticesUnsent: number;
  /** Null while no backup was recorded. */
  readonly newestBackupAt: Date | null;
  /** `seenUntil`: payments after this instant may be unseen. */
  readonly cursors: readonly { chain: string; height: number; seenUntil: Date }[];
}
