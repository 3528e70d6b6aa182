/** Writing payouts, and finding those that are to be sent: inside UnitOfWork.run, as all repositories (repositories.ts). */
import type { Held } from '../../domain/payouts/held.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';

export interface PayoutRepository {
  insert(payout: Payout): Promise<void>;
  lock(id: string): Promise<Payout | null>;
  save(payout: Payout): Promise<void>;
  /** The same for many, which are locked, at once. */
  saveAll(payouts: readonly Payout[]): Promise<void>;
  /** Micro-USD of the other live payouts of a payout's merchant that were let go after an instant and did not come to nothing. */
  dispatchedMicroUsd(payout: Pick<Payout, 'id' | 'merchantId'>, since: Date): Promise<bigint>;
  /**
   * Live payouts of these assets that may be sent: pending, not held, not waiting for their merchant, without a transfer. New ones first, in which merchants
   * and assets take turns, each with its oldest; then, as a quarter at most, those that wait, by who had no turn for longest:
   * none keeps another from being looked at. Without those that wait for a time after `now`. Not locked.
   */
  sendable(assets: readonly string[], limit: number, now: Date): Promise<readonly Payout[]>;
  /** Whether one of those `sendable` lacks nothing but its turn, as far as is known: it is new, or waits to be signed. */
  anyReady(assets: readonly string[]): Promise<boolean>;
  /** Payouts that wait still do, as of `at`: others that wait come before them. Passes over rows that are locked. */
  putOff(ids: readonly string[], at: Date): Promise<void>;
  /** Up to `limit` of each merchant who may be paid out again do not wait for that any more (domain/merchants/merchant.ts, payoutBar). */
  readmit(limit: number): Promise<void>;
  /**
   * Of a batch's transfers of which nothing is signed, the payouts whose merchants may not be paid out, by id, with why. No refunds, and
   * none that an operator lets go all the same. Not locked.
   */
  barredIn(transferBatchId: string): Promise<ReadonlyMap<string, string>>;
  /** What the recipients of a batch's payouts may take, as it was quoted (Payout.extraGas), by payout id. Not locked. */
  extraGasIn(transferBatchId: string): Promise<ReadonlyMap<string, bigint | null>>;
  /** Forgets up to `limit` X-Uniq-Ids that expired before an instant; answers how many. */
  purgeUniqIds(expiredBefore: Date, limit: number): Promise<number>;
  /**
   * Live payouts of these assets (null: all) that are pending, held or not, and were made before an instant (null: at any time), or after `now`, when the
   * clock must have been wrong: ids in their order. Not locked. `processing`: with those that are on their way.
   */
  pendingOf(of: {
    assets: readonly string[] | null;
    madeBefore: Date | null;
    now: Date;
    processing?: boolean;
  }): Promise<readonly string[]>;
  /** What live payouts of these assets that are pending, held or not, are to pay, in the order of their ids. Not locked. */
  owed(assets: readonly string[]): Promise<readonly Pick<Payout, 'id' | 'asset' | 'address' | 'sentUnits'>[]>;
  /**
   * Holds those of them that are pending and not held for this yet, as `restored`, or `restored_held` where they were held for
   * another reason, which is told behind `text`; answers them. In the order of their ids, as everywhere, and locked.
   */
  holdRestored(ids: readonly string[], text: string): Promise<readonly string[]>;
  /** Ids of live payouts that are held for this reason, in their order. Not locked. */
  heldFor(code: Held['code']): Promise<readonly string[]>;
  /** The refund of an invoice that is on its way or was paid; null when there is none. Not locked. */
  standingRefundOf(invoiceId: string): Promise<Payout | null>;
  /** Locks up to `limit` sandbox payouts that are pending or processing and not held, skipping locked rows. */
  lockOpenSandbox(limit: number): Promise<readonly Payout[]>;
}
