/** Writes of the ledger. Inside UnitOfWork.run only. */

import type { BalanceSummary, EntryKind, Posting } from '../domain/ledger.ts';

export interface LedgerRepository {
  /**
   * Appends an entry with its postings, updates the balance summary, and numbers it in the
   * merchant's feed if `feed` is set.
   */
  post(entry: NewEntry): Promise<void>;
  /** The same for many, in this order, except reversals and reservations of payouts. */
  postAll(entries: readonly NewEntry[]): Promise<void>;
  /** The entries of a reference with their postings, oldest first. */
  entriesOf(referenceId: string): Promise<readonly (NewEntry & { id: string })[]>;
  /** Locks and reads the merchant's balance row, which is created at zero when absent. */
  lockBalance(merchantId: string, sandbox: boolean): Promise<BalanceSummary>;
  /** The same for many merchants, by id, locked in the order of their ids. */
  lockBalances(
    merchantIds: readonly string[],
    sandbox: boolean,
  ): Promise<ReadonlyMap<string, BalanceSummary>>;
}

export interface NewEntry {
  readonly id: string;
  /** Null for network fees and owner funding, which concern no merchant. */
  readonly merchantId: string | null;
  readonly sandbox: boolean;
  readonly kind: EntryKind;
  /** Id of the invoice, payout, outgoing transfer or deposit. */
  readonly referenceId: string;
  /** The deposit, if any. (deposit, kind, round) is unique, so that a credit happens once. */
  readonly depositId: string | null;
  readonly postings: readonly Posting[];
  /**
   * Set on entries of the public feed (specification, "Ledger entry"). A reversal has negative
   * units.
   */
  readonly feed: FeedLine | null;
  readonly at: Date;
}

export interface FeedLine {
  readonly type: 'income' | 'payout' | 'refund';
  readonly asset: string;
  /** Base units that the merchant received, paid out or refunded. */
  readonly amountUnits: bigint;
  /** Base units; null for payouts and refunds. */
  readonly feeUnits: bigint | null;
  /** Fiat currency of the invoice; null for payouts. */
  readonly currency: string | null;
  /** Change of the type's column of the balance summary (income, payouts, refunds), micro-USD. */
  readonly microUsd: bigint;
  /** Invoice or payout id. */
  readonly referenceId: string;
}
