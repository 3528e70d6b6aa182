/** Writing invoices, and ending those whose time has passed: inside UnitOfWork.run, as all repositories (repositories.ts). */
import type { Invoice } from '../../domain/invoices/invoice-record.ts';

/**
 * Up to `limit` invoices whose expires_at is at or before `now`, without those locked by others. A live invoice on a chain of
 * `coveredUntil` is not over until that chain was read past its expires_at, since a payment may have been made in time and
 * not be seen yet. Neither is one in `created` on the chain of an earlier choice.
 */
export interface ExpiryQuery {
  readonly now: Date;
  readonly coveredUntil: ReadonlyMap<string, Date | null>;
  readonly limit: number;
}

export interface InvoiceRepository {
  /** Inserts an invoice and numbers it in its merchant's list; its deposit address is not written here (addresses.insert). */
  insert(invoice: Invoice): Promise<void>;
  find(id: string): Promise<Invoice | null>;
  lock(id: string): Promise<Invoice | null>;
  /** Locks those that nobody else has locked, ordered by id: it waits for nobody. */
  lockFree(ids: readonly string[]): Promise<readonly Invoice[]>;
  lockByExternalId(externalId: string): Promise<Invoice | null>;
  /** Writes everything that may change after creation. */
  save(invoice: Invoice): Promise<void>;
  /** Writes the same of many invoices, which are locked, at once. */
  saveAll(invoices: readonly Invoice[]): Promise<void>;
  /** `created` becomes `expired` for invoices that are over (ExpiryQuery), which nobody is told; answers their ids, oldest first. */
  expireUnpaid(query: ExpiryQuery): Promise<readonly string[]>;
  /** Locks STATIC invoices in `partially_paid` that are over (ExpiryQuery), oldest first. */
  lockOverduePartlyPaid(query: ExpiryQuery): Promise<readonly Invoice[]>;
  /**
   * The youngest invoice bound to a permanent address that still waits for its first payment in the asset, and that a payment
   * seen at `seenAt` is in time for; else the youngest that waits in another, was paid nothing, and whose customer had chosen
   * this one at this address before. Locked.
   */
  lockWaitingOnPermanentAddress(payment: {
    permanentAddressId: string;
    asset: string;
    seenAt: Date;
    /** Invoices that were made later are younger than the payment; null: none is. */
    madeBefore: Date | null;
  }): Promise<Invoice | null>;
}
