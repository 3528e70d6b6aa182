/** Payment links: writes inside UnitOfWork.run, and the reads of their pages. */
import type { InvoiceStatus } from '../../domain/invoices/invoice.ts';
import type { LinkPicture, LinkSettings, PaymentLink } from '../../domain/links/payment-link.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';

/** A link with its picture. */
export type WrittenLink = Omit<PaymentLink, 'pictureDigest'> & Pick<LinkSettings, 'picture'>;
type LinkOwner = Pick<PaymentLink, 'merchantId' | 'sandbox'>;

export interface PaymentLinkRepository {
  /** False, and nothing is written, if the slug is taken. */
  insertIfAbsent(link: WrittenLink): Promise<boolean>;
  /** Of any owner. Not locked. */
  find(id: string): Promise<PaymentLink | null>;
  /** Null for another owner as well. */
  lock(owner: LinkOwner, id: string): Promise<WrittenLink | null>;
  /** Returns it as it is read. */
  save(link: WrittenLink): Promise<PaymentLink>;
  count(owner: LinkOwner): Promise<number>;
}

export interface PaymentLinkQueries {
  paymentLinkBySlug(slug: string): Promise<PublicLink | null>;
  /** The picture with this digest (SHA-256, hex); null if no link has it. */
  linkPicture(digest: string): Promise<LinkPicture | null>;
  /** Invoices that wait for a payment. */
  openOfLink(linkId: string): Promise<number>;
  /**
   * Invoices that are paid or may still be: all of them, or those that were created before the
   * invoice `before`. Takes as long as there are many.
   */
  takenOfLink(linkId: string, before: string | null): Promise<number>;
  /** The oldest invoice that waits for a payment and has no asset yet; null if there is none. */
  oldestUnchosen(linkId: string): Promise<string | null>;
  /** The newest first, since then, at most `limit`. */
  lastOfLink(linkId: string, since: Date, limit: number): Promise<readonly LinkPayment[]>;
}

export interface PublicLink {
  readonly link: PaymentLink;
  /** Whom it pays. */
  readonly merchant: Merchant;
}

/** An invoice of a till. */
export interface LinkPayment {
  readonly externalId: string;
  readonly status: InvoiceStatus;
  /** In the link's currency. */
  readonly fiatMicros: bigint;
  readonly createdAt: Date;
}
