/** Reading: what the API's GET endpoints and the operators' lists ask. No locks, no writes; within one merchant and environment but for the checkout's. */
import type { Deposit } from '../domain/deposits/deposit.ts';
import type { Environment } from '../domain/environment.ts';
import type { InvoiceStatus } from '../domain/invoices/invoice.ts';
import type { Invoice } from '../domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../domain/invoices/permanent-address.ts';
import type { BalanceSummary } from '../domain/ledger.ts';
import type { Merchant } from '../domain/merchants/merchant.ts';
import type { PayoutStatus } from '../domain/payouts/payout.ts';
import type { Payout } from '../domain/payouts/payout-record.ts';
import type { OutgoingTransfer } from '../domain/sending/outgoing.ts';
import type { NotedTransaction } from './chains/unknown-transactions.ts';
import type { BrandQueries, CheckoutQueries } from './checkout/checkout-queries.ts';

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
  /** The spellings of one: any payment's on a chain, whatever became of it. */
  readonly txids?: readonly string[] | null;
  /** The spellings of one: where it is or was to be paid. */
  readonly addresses?: readonly string[] | null;
  readonly userId?: string | null;
  /** Changed then or later (domain/chains/last-change.ts). */
  readonly updatedFrom?: Date | null;
}

export interface PayoutFilter extends DateRange {
  readonly asset: string | null;
  readonly ids: readonly string[] | null;
  readonly ref?: string | null;
  /** The spellings of one: any transaction's that was broadcast for it. */
  readonly txids?: readonly string[] | null;
  /** In upper or lower case. */
  readonly address?: string | null;
  readonly updatedFrom?: Date | null;
}

export interface PermanentAddressFilter {
  readonly family: string | null;
  readonly userId: string | null;
  readonly active: boolean | null;
  /** The spellings of one. */
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
  /** The amount is what the network took for a transaction of the payout or refund without effect. */
  readonly isWastedFee: boolean;
  readonly currency: string | null;
  readonly referenceId: string;
  /** The payout's or refund's present status; null for income. */
  readonly status: string | null;
  /** The operator who ordered the refund; null for the rest, and where nobody is known. */
  readonly orderedBy: string | null;
  readonly createdAt: Date;
}

export interface NotificationFilter extends DateRange {
  readonly invoiceId: string | null;
  readonly payoutId: string | null;
}

export interface NotificationAttempt {
  readonly id: string;
  /** Null for test notifications, as the other two; one of it and the payout is null otherwise. */
  readonly invoiceId: string | null;
  readonly payoutId: string | null;
  /** Of the event it tells of. */
  readonly eventSeq: number | null;
  readonly url: string;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly attempt: number;
  readonly sentAt: Date;
}

/** What a merchant is told of: a change of an invoice or a payout. */
export interface MerchantEvent {
  /** Dense within the merchant and environment, from 1, in the order of commits. */
  readonly seq: number;
  /** `invoice.success`, for example. */
  readonly type: string;
  /** Never runs backwards along the numbers. */
  readonly createdAt: Date;
  /** JSON as it is, or would be, sent in the native format. */
  readonly body: string;
}

/** A list that was not made: the merchant has too many made at once, or this one took longer than lists may. */
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
  /** It is the newer key of an overlap, and no API call with it was noted yet (MerchantRepository.noteFirstUse). */
  readonly firstUse: boolean;
}

/** Lists reject with ListRefused. */
export interface Queries extends BrandQueries, CheckoutQueries {
  /** Who presents a key with this lookup hash; null when it is unknown or does not live at `now`. */
  identity(lookupHash: string, now: Date): Promise<PresentedKey | null>;
  /** Lookup hashes of the keys that were made since then, or of all, the revoked ones too. */
  keyHashes(since: Date | null): Promise<readonly string[]>;
  invoice(scope: Scope, id: string): Promise<Invoice | null>;
  invoiceByExternalId(externalId: string): Promise<Invoice | null>;
  invoices(scope: Scope, filter: InvoiceFilter, sort: Sort, page: PageRequest): Promise<Page<Invoice>>;
  payout(scope: Scope, id: string): Promise<Payout | null>;
  /** What a single payout of that X-Uniq-Id, which is not forgotten yet, created. */
  payoutByUniqId(scope: Scope, uniqId: string): Promise<Payout | null>;
  payouts(scope: Scope, filter: PayoutFilter, sort: Sort, page: PageRequest): Promise<Page<Payout>>;
  permanentAddress(scope: Scope, id: string): Promise<PermanentAddress | null>;
  permanentAddresses(
    scope: Scope,
    filter: PermanentAddressFilter,
    page: PageRequest,
  ): Promise<Page<PermanentAddress>>;
  balance(scope: Scope): Promise<BalanceSummary>;
  ledger(scope: Scope, filter: LedgerFilter, page: PageRequest): Promise<Page<LedgerLine>>;
  /**
   * Whole lists in the order of creation, in batches of some hundred at most: nothing twice, nothing left out of what there was
   * when they began. A merchant has one at a time; the first batch rejects with ListRefused (`busy`) otherwise.
   */
  readonly every: {
    invoices(scope: Scope, filter: InvoiceFilter, order: Sort['order']): AsyncIterable<readonly Invoice[]>;
    payouts(scope: Scope, filter: PayoutFilter, order: Sort['order']): AsyncIterable<readonly Payout[]>;
    /** The youngest first. */
    ledger(scope: Scope, filter: LedgerFilter): AsyncIterable<readonly LedgerLine[]>;
  };
  notifications(
    scope: Scope,
    filter: NotificationFilter,
    page: PageRequest,
  ): Promise<Page<NotificationAttempt>>;
  /**
   * Up to `limit` events after the number `after`, in order: whoever has read up to a number never meets a smaller one later. `last` is the
   * number of the latest event at that moment, 0 where there is none.
   */
  events(
    scope: Scope,
    of: { after: number; limit: number },
  ): Promise<{ readonly events: readonly MerchantEvent[]; readonly last: number }>;
}

export interface ListedMerchant extends Merchant {
  readonly hasLiveKey: boolean;
  readonly hasSandboxKey: boolean;
  /** Until when an older key lives, or lived, beside the newest; null where none was left to live on. */
  readonly oldLiveKeyUntil: Date | null;
  readonly oldSandboxKeyUntil: Date | null;
}

/** What operators' scripts and metrics ask, across merchants. */
export interface OperatorQueries {
  merchants(): Promise<readonly ListedMerchant[]>;
  deposits(filter: {
    statuses: readonly Deposit['status'][];
    sandbox: boolean | null;
    limit: number;
  }): Promise<readonly Deposit[]>;
  /** Payouts and refunds of all merchants and both environments, the youngest first. */
  payouts(filter: OperatorPayoutFilter): Promise<readonly OperatorPayout[]>;
  /** Of these chains the newest transactions of our wallets that are not known here, of which not every payment was found to be a payout. */
  unknownTransactions(of: { chains: readonly string[]; limit: number }): Promise<readonly NotedTransaction[]>;
  /** Since when signing is stopped, and why; null while it is not. */
  signingStopped(): Promise<{ readonly at: Date; readonly note: string } | null>;
  /** Deliveries that ended `dead`, or those of one invoice, for replaying. */
  deadDeliveries(filter: {
    invoiceId: string | null;
    since: Date | null;
    limit: number;
  }): Promise<readonly DeadDelivery[]>;
  /** Normalized live addresses of invoices that wait for `asset` or may be paid in it since it was chosen before, and of active permanent addresses of the family. */
  addressesExpecting(asset: { family: string; asset: string }): Promise<readonly string[]>;
  /**
   * Normalized addresses of `addressesExpecting`, of the `newest` invoices, the `newest` of permanent ones that were deactivated, and
   * those of the largest `coins` coins that nothing claims: all that a source follows that shows no whole blocks.
   */
  addressesToFollow(what: {
    family: string;
    chain: string;
    asset: string;
    newest: number;
    coins: number;
  }): Promise<readonly string[]>;
  /** Every place where the books disagree; empty when all is well. Streams over all rows in SQL. */
  reconciliationFaults(): Promise<readonly ReconciliationFault[]>;
  metrics(now: Date): Promise<OperatorMetrics>;
}

export interface DeadDelivery {
  readonly id: string;
  /** Null where it tells of a payout. */
  readonly invoiceId: string | null;
  readonly url: string;
  readonly attempts: number;
}

export interface OperatorPayoutFilter {
  readonly statuses: readonly PayoutStatus[];
  /** Only those that wait for an operator to release them. */
  readonly held: boolean;
  /** Only those that could not be sent at the last try. */
  readonly waiting: boolean;
  readonly merchantId: string | null;
  readonly limit: number;
}

export interface OperatorPayout {
  readonly payout: Payout;
  /** Its newest transfer that was not taken out of its batch; null before one was made, and in the sandbox. */
  readonly transfer:
    | (Pick<OutgoingTransfer, 'id' | 'status' | 'chain' | 'wallet' | 'nonce' | 'voided' | 'failure'> & {
        /** Every transaction that was signed for it, by ordinal. */
        readonly txids: readonly string[];
      })
    | null;
}

export interface ReconciliationFault {
  readonly check: string;
  readonly reference: string;
  readonly expected: string;
  readonly found: string;
}

export interface OperatorMetrics {
  readonly webhooksPending: number;
  /** Of those that no open circuit holds back. */
  readonly oldestDueWebhookSeconds: number;
  /** Due, and waiting for a receiver that does not answer. */
  readonly webhooksHeldBack: number;
  readonly circuitsByState: Readonly<Record<string, number>>;
  readonly depositsToScreen: number;
  readonly straysOpen: number;
  readonly heldOpen: number;
  readonly payoutsByStatus: Readonly<Record<string, number>>;
  /** Payouts that an operator has to release, and those that could not be sent at the last try, by waiting code (domain/payouts/hold-reasons.ts). */
  readonly payoutsHeld: number;
  readonly payoutsWaiting: Readonly<Record<string, number>>;
  readonly signingStopped: boolean;
  readonly invoicesByStatus: Readonly<Record<string, number>>;
  /** `seenUntil`: payments after this instant may be unseen. */
  readonly cursors: readonly { chain: string; height: number; seenUntil: Date }[];
}
