/** Writes of payouts, and the selection of those to send. Inside UnitOfWork.run only. */
import type { Held } from '../../domain/payouts/held.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';

export interface PayoutRepository {
  insert(payout: Payout): Promise<void>;
  /** Not locked. */
  find(id: string): Promise<Payout | null>;
  lock(id: string): Promise<Payout | null>;
  /** Locks them, ordered by id. */
  lockAll(ids: readonly string[]): Promise<readonly Payout[]>;
  save(payout: Payout): Promise<void>;
  /** The same for many locked ones. */
  saveAll(payouts: readonly Payout[]): Promise<void>;
  /**
   * Micro-USD of each merchant's live payouts that were dispatched after `since`, are not held and
   * did not fail. Merchants without any are absent.
   */
  dispatchedMicroUsd(merchantIds: readonly string[], since: Date): Promise<ReadonlyMap<string, bigint>>;
  /**
   * Live payouts of these assets that may be sent: pending, not held, not waiting for their
   * merchant, without a transfer. First new ones, oldest first, with merchants and assets in turns.
   * Then, up to a quarter, those that waited before, longest untried first, so that none blocks
   * another. Without those whose next try is after `now`. Not locked.
   */
  sendable(assets: readonly string[], limit: number, now: Date): Promise<readonly Payout[]>;
  /** Whether any `sendable` one waits only for its turn: it is new, or waits to be signed. */
  anyReady(assets: readonly string[]): Promise<boolean>;
  /** Moves waiting payouts behind other waiting ones, as tried at `at`. Skips locked rows. */
  putOff(ids: readonly string[], at: Date): Promise<void>;
  /**
   * Makes up to `limit` payouts sendable again of each merchant whose bar was lifted (payoutBar in
   * domain/merchants/merchant.ts).
   */
  readmit(limit: number): Promise<void>;
  /**
   * Among the unsigned transfers of batches, the payouts whose merchants are barred from payouts,
   * by id, with the reason. No operator's refunds, and none that an operator released. Not locked.
   */
  barredIn(transferBatchIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The quoted Payout.extraGas of the batches' payouts, by payout id. Not locked. */
  extraGasIn(transferBatchIds: readonly string[]): Promise<ReadonlyMap<string, bigint | null>>;
  /** Deletes up to `limit` X-Uniq-Ids that expired before then; returns how many. */
  purgeUniqIds(expiredBefore: Date, limit: number): Promise<number>;
  /**
   * Ids, in order, of pending live payouts of these assets (null: all), held or not, that were
   * created before `madeBefore` (null: at any time) or after `now`, which a wrong clock causes. A
   * refund counts from its claim on: another payout may have paid that. `processing`: processing
   * ones too. Not locked.
   */
  pendingOf(of: {
    assets: readonly string[] | null;
    madeBefore: Date | null;
    now: Date;
    processing?: boolean;
  }): Promise<readonly string[]>;
  /** Of those, the refunds of claims that were offered before then (safety.md L3). Not locked. */
  pendingOfClaims(assets: readonly string[], offeredBefore: Date): Promise<readonly string[]>;
  /** The payments of these assets' pending live payouts, held or not, by id. Not locked. */
  owed(assets: readonly string[]): Promise<readonly Pick<Payout, 'id' | 'asset' | 'address' | 'sentUnits'>[]>;
  /**
   * By asset: the live payouts of these assets that are pending without a transfer, held ones too.
   * Not locked.
   */
  unallocated(assets: readonly string[]): Promise<readonly UnallocatedPayouts[]>;
  /**
   * Holds the pending ones as `restored`; one that was held for another reason as `restored_held`,
   * with that reason appended to `text`. Returns those that were changed. Locks in the order of
   * ids.
   */
  holdRestored(ids: readonly string[], text: string): Promise<readonly string[]>;
  /** Ids, in order, of live payouts that are held for this reason. Not locked. */
  heldFor(code: Held['code']): Promise<readonly string[]>;
  /** The refunds of an invoice that are unsettled or paid, oldest first. Not locked. */
  standingRefunds(invoiceId: string): Promise<readonly Payout[]>;
  /** As standingRefunds, of an unmatched deposit. */
  standingRefundsOfDeposit(depositId: string): Promise<readonly Payout[]>;
  /** Locks up to `limit` sandbox payouts, pending or processing and not held; skips locked rows. */
  lockOpenSandbox(limit: number): Promise<readonly Payout[]>;
}

export interface UnallocatedPayouts {
  readonly asset: string;
  readonly count: number;
  readonly units: bigint;
  /** How many of them wait for liquidity. */
  readonly lacking: number;
}
