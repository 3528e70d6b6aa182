/** Writes of deposits, and the selection of those to settle. Inside UnitOfWork.run only. */

import type { Deposit, DepositStatus } from '../../domain/deposits/deposit.ts';
import type { StrayReason } from '../../domain/deposits/stray-reason.ts';

export interface DepositRepository {
  /** Throws where a credit key exists. Waits for another transaction that is inserting it. */
  insertAll(deposits: readonly Deposit[]): Promise<void>;
  /** A chain's deposits with these outputs, in no order and not locked. */
  findByKeys(
    chain: string,
    keys: readonly { readonly txid: string; readonly output: string }[],
  ): Promise<readonly Deposit[]>;
  /** Not locked. */
  find(id: string): Promise<Deposit | null>;
  lock(id: string): Promise<Deposit | null>;
  /** Locks them, ordered by id. */
  lockAll(ids: readonly string[]): Promise<readonly Deposit[]>;
  /** Locks those that are not locked elsewhere, ordered by id; never waits. */
  lockFree(ids: readonly string[]): Promise<readonly Deposit[]>;
  save(deposit: Deposit): Promise<void>;
  /** The same for many locked ones. */
  saveAll(deposits: readonly Deposit[]): Promise<void>;
  /** Of one invoice after the other the `most` largest, largest first. Not locked. */
  ofInvoices(
    invoiceIds: readonly string[],
    wanted: { statuses: readonly DepositStatus[]; most: number },
  ): Promise<readonly Deposit[]>;
  /** Locked, ordered by id. */
  lockOfInvoices(
    invoiceIds: readonly string[],
    statuses: readonly DepositStatus[],
  ): Promise<readonly Deposit[]>;
  /** Locked, ordered by id. */
  lockOfInvoice(invoiceId: string, statuses: readonly DepositStatus[]): Promise<readonly Deposit[]>;
  /** Whether the invoice has a payment that was not dropped or reversed. */
  hasPayment(invoiceId: string): Promise<boolean>;
  /**
   * Whether the invoice's own addresses on these chains have a deposit, unmatched ones included.
   */
  hasArrivals(invoiceId: string, chains: readonly string[]): Promise<boolean>;
  /** Whether the address got payments in this block that only a trace shows. */
  hasTraced(
    of: Pick<Deposit, 'chain' | 'address' | 'asset'> & { block: NonNullable<Deposit['block']> },
  ): Promise<boolean>;
  /** Base units of these unmatched deposits, final or not. */
  parkedUnits(of: ParkedDeposits): Promise<bigint>;
  /** Gives all of them to an invoice (which is locked) as if seen for it; returns their sum. */
  claimParked(of: ParkedDeposits, invoiceId: string): Promise<bigint>;
  /**
   * Removes the block of up to `limit` of a chain's deposits above `height`. Returns of how many:
   * fewer than `limit` are the last ones.
   */
  orphanAbove(chain: string, height: number, limit: number): Promise<number>;
  /** A chain's `confirming` deposits in blocks up to `height` that no lock keeps beyond it. */
  unfinal(chain: string, height: number): Promise<readonly Deposit[]>;
  /** Whether there are any, at any height. */
  anyUnfinal(chain: string): Promise<boolean>;
  /**
   * Base units of a chain's asset in blocks up to `height` that are not credited: not final, not
   * screened, held, rejected, or unmatched. For chains where deposits lie in the hot wallet.
   */
  undecidedUnits(of: { chain: string; asset: string; height: number }): Promise<bigint>;
  /** A chain's deposits without a block, orphaned or in the mempool, that are not given up. */
  withoutBlock(chain: string): Promise<readonly Deposit[]>;
  /** Moves all deposits of these invoices (which are locked) from one status to another. */
  moveOfInvoices(
    invoiceIds: readonly string[],
    change: { from: DepositStatus; to: DepositStatus; strayReason: StrayReason | null },
  ): Promise<void>;
  /**
   * Invoices with `arrived` deposits to settle, ordered by the oldest: deposits that are not
   * deferred, or whose invoice ended without them or leaves them behind. An open invoice counts
   * only with deposits in an asset of `priced`. `after` is the last one of the previous page, so
   * that one that cannot be settled now does not hide the rest.
   */
  invoicesToScreen(page: {
    limit: number;
    after: InvoiceToScreen | null;
    priced: readonly string[];
  }): Promise<readonly InvoiceToScreen[]>;
  /** Assets outside `priced` of which such deposits wait, and since when the oldest is final. */
  waitingForPrice(priced: readonly string[]): Promise<readonly { asset: string; since: Date }[]>;
}

export interface ParkedDeposits {
  readonly chain: string;
  /** Normalized. */
  readonly address: string;
  readonly asset: string;
  readonly strayReason: StrayReason;
}

export interface InvoiceToScreen {
  readonly invoiceId: string;
  readonly firstSeenAt: Date;
}
