/** Writes of invoices, and expiry. Inside UnitOfWork.run only. */
import type { Invoice } from '../../domain/invoices/invoice-record.ts';

/**
 * Selects up to `limit` unlocked invoices whose expires_at is at or before `now`. A live invoice on
 * a chain of `coveredUntil` has not ended until that chain was read past expires_at, because a
 * payment in time may not be seen yet. The same holds for a `created` one and the chain of an
 * earlier choice.
 */
export interface ExpiryQuery {
  readonly now: Date;
  readonly coveredUntil: ReadonlyMap<string, Date | null>;
  readonly limit: number;
  /** Only these of them, `limit` or not; null: the oldest. */
  readonly among: readonly string[] | null;
}

/** An invoice whose time has passed, with its place in the order of their ends. */
export interface DueInvoice {
  readonly id: string;
  readonly merchantId: string;
  readonly status: 'created' | 'partially_paid';
  readonly expiresAt: Date;
}

/** A payment to a permanent address. */
export interface PermanentPayment {
  readonly permanentAddressId: string;
  readonly asset: string;
  readonly seenAt: Date;
  /** Invoices created later than this came after the payment; null: no limit. */
  readonly madeBefore: Date | null;
}

export interface InvoiceRepository {
  /**
   * Inserts an invoice and numbers it in its merchant's list; addresses.insert writes its address.
   */
  insert(invoice: Invoice): Promise<void>;
  /**
   * The same for many, numbered in their order. It locks the counters of all their lists in one
   * order, so two such calls of a transaction may wait in a circle with those of another one.
   */
  insertAll(invoices: readonly Invoice[]): Promise<void>;
  find(id: string): Promise<Invoice | null>;
  lock(id: string): Promise<Invoice | null>;
  /** Locks them, ordered by id. */
  lockAll(ids: readonly string[]): Promise<readonly Invoice[]>;
  /** Locks those that are not locked elsewhere, ordered by id; never waits. */
  lockFree(ids: readonly string[]): Promise<readonly Invoice[]>;
  lockByExternalId(externalId: string): Promise<Invoice | null>;
  /** Writes everything that may change after creation. */
  save(invoice: Invoice): Promise<void>;
  /** The same for many locked ones. */
  saveAll(invoices: readonly Invoice[]): Promise<void>;
  /**
   * Makes ended `created` invoices (ExpiryQuery) `expired`, without a webhook; returns their ids,
   * oldest first.
   */
  expireUnpaid(query: ExpiryQuery): Promise<readonly string[]>;
  /** Locks ended STATIC invoices (ExpiryQuery) in `partially_paid`, oldest first. */
  lockOverduePartlyPaid(query: ExpiryQuery): Promise<readonly Invoice[]>;
  /** What these two would take, locked or not: those after `after`, oldest first. */
  due(
    status: DueInvoice['status'],
    query: Omit<ExpiryQuery, 'among'>,
    after: DueInvoice | null,
  ): Promise<readonly DueInvoice[]>;
  /**
   * The invoice that a payment to a permanent address is for: the newest one of the address that
   * waits for its first payment in the asset and has not ended at `seenAt`. If there is none: the
   * newest that waits for another asset, has no payment, and whose customer chose this asset at
   * this address before. Locked.
   */
  lockWaitingOnPermanentAddress(payment: PermanentPayment): Promise<Invoice | null>;
  /**
   * The ids of what it would return now for each of the payments, in their order. Nothing is
   * locked.
   */
  waitingOnPermanentAddresses(payments: readonly PermanentPayment[]): Promise<readonly (string | null)[]>;
}
