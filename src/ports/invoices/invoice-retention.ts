import type { TimesOver } from '../kept-times.ts';

/** The place of an invoice among those that expired unpaid. */
export interface ExpiredPlace {
  readonly expiredAt: Date;
  readonly id: string;
}

/** Removes what expired unpaid long ago. Inside UnitOfWork.run only. */
export interface InvoiceRetention {
  /**
   * Up to `limit` invoices that expired then, after the place `after`, in the order of their
   * expiry; not those of permanent addresses.
   */
  expiredUnpaid(
    over: TimesOver,
    page: { readonly after: ExpiredPlace | null; readonly limit: number },
  ): Promise<readonly ExpiredPlace[]>;
  /**
   * Removes those of these that are expired, that no payment, payout, claim, mail, webhook or entry
   * of the ledger names, and at whose addresses nothing ever arrived; not those of permanent
   * addresses. Locked ones are left for the next time. Addresses stay, with the id of the invoice.
   * Returns how many went.
   */
  removeUnpaid(ids: readonly string[]): Promise<number>;
}
