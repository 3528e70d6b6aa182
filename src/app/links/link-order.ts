/** What a customer asks of a payment link, and why it may be refused. */
import type { AppError } from '../../domain/errors.ts';
import type { LinkField, LinkOrder, LinkState } from '../../domain/links/payment-link.ts';

export interface LinkRequest extends LinkOrder {
  /** The customer's answers. Those that the link does not ask are left out of the invoice. */
  readonly answers: Readonly<Partial<Record<LinkField, string>>>;
  /** Of the page: e-mails to the customer are written in it. */
  readonly language: string;
  /** Where the invoice leads to when it is cancelled. */
  readonly linkUrl: string;
}

/**
 * Why no invoice was opened. `busy`: too many invoices of the link wait for a payment. `rejected`:
 * the invoice was refused, with its error.
 */
export type LinkRefusal =
  | { readonly why: Exclude<LinkState, 'open'> | 'busy' | 'amount' | 'tip' }
  | { readonly why: 'rejected'; readonly error: AppError };

export interface LinkStanding {
  readonly state: LinkState;
  /** The rest of the stock; null without one. */
  readonly left: number | null;
  /** Invoices that wait for a payment. */
  readonly open: number;
}
