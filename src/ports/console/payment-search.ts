/** Finds payments by what people know of them. Each look-up is by an index, never of a table. */
import type { SearchTerms } from '../../domain/console/search-terms.ts';
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../../domain/invoices/permanent-address.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { Scope } from '../list-queries.ts';

/** The most of each kind. */
export const FOUND_MAX = 50;

/** Each newest first. */
export interface FoundPayments {
  readonly invoices: readonly Invoice[];
  readonly payouts: readonly Payout[];
  /** Payments on chains. A merchant's search finds the unmatched ones: others have an invoice. */
  readonly deposits: readonly Deposit[];
  readonly permanentAddresses: readonly PermanentAddress[];
}

export interface PaymentSearch {
  /** Of a merchant and environment; with `scope` null of all, refunds too. */
  findPayments(scope: Scope | null, terms: SearchTerms): Promise<FoundPayments>;
  /** By id, or by a part of the name. */
  findMerchants(terms: SearchTerms): Promise<readonly Merchant[]>;
}
