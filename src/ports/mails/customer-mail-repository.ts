/** The outbox of e-mails to customers. Inside UnitOfWork.run only. */
import type { CustomerMail } from '../../domain/mails/customer-mail.ts';

export interface CustomerMailRepository {
  /** Whether this gateway sends e-mails: if not, nothing is queued. */
  readonly isOn: boolean;
  /**
   * Of an invoice each kind is queued once; one that became obsolete before it was sent is queued
   * again. The link of a claim is queued with the claim: a second time rejects.
   */
  queue(mail: CustomerMail): Promise<void>;
  /**
   * Begins a try of up to `limit` due mails, those that wait longest first: counted, and not due
   * again before `until`. Skips locked rows.
   */
  take(of: { now: Date; until: Date; limit: number }): Promise<readonly CustomerMail[]>;
  save(mail: CustomerMail): Promise<void>;
}
