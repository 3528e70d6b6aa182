/**
 * Reads for the API's GET endpoints and the operators' lists: no locks and no writes. Those with a
 * Scope stay within one merchant and environment.
 */
import type { Environment } from '../domain/environment.ts';
import type { InvoiceStatus } from '../domain/invoices/invoice.ts';
import type { Invoice } from '../domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../domain/invoices/permanent-address.ts';
import type { BalanceSummary } from '../domain/ledger.ts';
import type { PaymentLink } from '../domain/links/payment-link.ts';
import type { Merchant } from '../domain/merchants/merchant.ts';
import type { UniqIdResult } from '../domain/payouts/payout-acceptance.ts';
import type { Payout } from '../domain/payouts/payout-record.ts';
import type { BrandQueries, CheckoutQueries } from './checkout/checkout-queries.ts';
import type { PaymentLinkQueries } from './links/payment-link-repository.ts';
import type { MerchantQueries } from './merchants/merchant-queries.ts';
import type { RefundClaimQueries } from './payouts/refund-claim-repository.ts';

export interface Scope {
  readonly merchantId: string;
  readonly sandbox: boolean;
}

export interface PageRequest {
  /** From 1. */
  readonly page: number;
  /** 1 to 100. */
  readonly perPage: number;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Exact. */
  readonly total: number;
}

export interface DateRange {
  /** Both inclusive, on created_at. */
  readonly from: Date | null;
  readonly to: Date | null;
}

export type Sort = { readonly by: 'created_at' | 'amount'; readonly order: 'asc' | 'desc' };

export interface InvoiceFilter extends DateRange {
  readonly status: InvoiceStatus | null;
  readonly asset: string | null;
  readonly ids: readonly string[] | null;
  readonly externalId?: string | null;
  readonly extra?: string | null;
  /** The spellings of one transaction id: of any payment on a chain, whatever became of it. */
  readonly txids?: readonly string[] | null;
  /** The spellings of one address that the invoice has or had. */
  readonly addresses?: readonly string[] | null;
  readonly userId?: string | null;
  /** Changed at this time or later (domain/chains/last-change.ts). */
  readonly updatedFrom?: Date | null;
}

export interface PayoutFilter extends DateRange {
  readonly asset: string | null;
  readonly ids: readonly string[] | null;
  readonly ref?: string | null;
  /** The spellings of one transaction id: of any transaction that was broadcast for it. */
  readonly txids?: readonly string[] | null;
  /** In upper or lower case. */
  readonly address?: string | null;
  readonly updatedFrom?: Date | null;
}

export interface PermanentAddressFilter {
  readonly family: string | null;
  readonly userId: string | null;
  readonly active: boolean | null;
  /** The spellings of one address. */
  readonly addresses?: readonly string[] | null;
}

export interface LedgerFilter extends DateRange {
  readonly type: LedgerLine['type'] | null;
}

export interface LedgerLine {
  readonly type: 'income' | 'payout' | 'refund';
  readonly asset: string;
  readonly amountUnits: bigint;
  readonly feeUnits: bigint | null;
  /** The amount is the network fee of a transaction of the payout or refund that had no effect. */
  readonly isWastedFee: boolean;
  readonly currency: string | null;
  readonly referenceId: string;
  /** The payout's or refund's present status; null for income. */
  readonly status: string | null;
  /** The operator who ordered the refund, if known; null for other types. */
  readonly orderedBy: string | null;
  readonly createdAt: Date;
}

export interface NotificationFilter extends DateRange {
  readonly invoiceId: string | null;
  readonly payoutId: string | null;
}

export interface NotificationAttempt {
  readonly id: string;
  /** Either this or `payoutId` is set. A test notification has neither, and no event. */
  readonly invoiceId: string | null;
  readonly payoutId: string | null;
  /** Number of the event it reports. */
  readonly eventSeq: number | null;
  readonly url: string;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly attempt: number;
  readonly sentAt: Date;
}

/** A change of an invoice or a payout that the merchant is notified of. */
export interface MerchantEvent {
  /** Dense within the merchant and environment, from 1, in the order of commits. */
  readonly seq: number;
  /** `invoice.success`, for example. */
  readonly type: string;
  /** Never earlier than that of a lower number. */
  readonly createdAt: Date;
  /** The JSON of its webhook in the native format. */
  readonly body: string;
}

/**
 * A list was refused: too many at once for this merchant (`busy`), or it took too long (`slow`).
 */
export class ListRefused extends Error {
  override readonly name = 'ListRefused';
  readonly code: 'busy' | 'slow';

  constructor(code: 'busy' | 'slow') {
    super(`a list was refused: ${code}`);
    this.code = code;
  }
}

export interface Identity {
  readonly merchant: Merchant;
  readonly environment: Environment;
}

export interface PresentedKey extends Identity {
  /** The newer key of an overlap, before its first API call (MerchantRepository.noteFirstUse). */
  readonly firstUse: boolean;
}

/** Lists reject with ListRefused. */
export interface Queries
  extends BrandQueries,
    CheckoutQueries,
    MerchantQueries,
    PaymentLinkQueries,
    RefundClaimQueries {
  /** The owner of the key with this lookup hash; null if it is unknown or not valid at `now`. */
  identity(lookupHash: string, now: Date): Promise<PresentedKey | null>;
  /** Lookup hashes of the keys created since then, or of all; revoked ones included. */
  keyHashes(since: Date | null): Promise<readonly string[]>;
  invoice(scope: Scope, id: string): Promise<Invoice | null>;
  invoiceByExternalId(externalId: string): Promise<Invoice | null>;
  invoices(scope: Scope, filter: InvoiceFilter, sort: Sort, page: PageRequest): Promise<Page<Invoice>>;
  payout(scope: Scope, id: string): Promise<Payout | null>;
  /** The payout that a request with this X-Uniq-Id created, while the id is remembered. */
  payoutByUniqId(scope: Scope, uniqId: string): Promise<Payout | null>;
  /** What a request with this X-Uniq-Id created, while the id is remembered. */
  usedUniqId(scope: Scope, uniqId: string): Promise<UniqIdResult | null>;
  payouts(scope: Scope, filter: PayoutFilter, sort: Sort, page: PageRequest): Promise<Page<Payout>>;
  permanentAddress(scope: Scope, id: string): Promise<PermanentAddress | null>;
  permanentAddresses(
    scope: Scope,
    filter: PermanentAddressFilter,
    page: PageRequest,
  ): Promise<Page<PermanentAddress>>;
  paymentLink(scope: Scope, id: string): Promise<PaymentLink | null>;
  /** Newest first. */
  paymentLinks(scope: Scope, page: PageRequest): Promise<Page<PaymentLink>>;
  balance(scope: Scope): Promise<BalanceSummary>;
  ledger(scope: Scope, filter: LedgerFilter, page: PageRequest): Promise<Page<LedgerLine>>;
  /**
   * Whole lists in the order of creation, in batches of a few hundred rows. Each row that existed
   * at the start comes exactly once. A merchant has one at a time; the first batch of another
   * rejects with ListRefused (`busy`).
   */
  readonly every: {
    invoices(scope: Scope, filter: InvoiceFilter, order: Sort['order']): AsyncIterable<readonly Invoice[]>;
    payouts(scope: Scope, filter: PayoutFilter, order: Sort['order']): AsyncIterable<readonly Payout[]>;
    /** Newest first. */
    ledger(scope: Scope, filter: LedgerFilter): AsyncIterable<readonly LedgerLine[]>;
  };
  notifications(
    scope: Scope,
    filter: NotificationFilter,
    page: PageRequest,
  ): Promise<Page<NotificationAttempt>>;
  /**
   * Up to `limit` events after the number `after`, in order. A number that was read is never
   * followed by a new smaller one. `last` is the number of the latest event, 0 if there is none.
   */
  events(
    scope: Scope,
    of: { after: number; limit: number },
  ): Promise<{ readonly events: readonly MerchantEvent[]; readonly last: number }>;
}
