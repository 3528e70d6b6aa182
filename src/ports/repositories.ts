/**
 * Writes: repositories exist only inside UnitOfWork.run, so nothing is written outside a transaction.
 * `lock…` methods take the row lock until its end. The order of locks is in docs/architecture.md; a
 * sweep locks its address's wallet, its deposits, then the hot wallet.
 */

import type { PermanentFamily } from '../domain/catalog/family.ts';
import type { Deposit, DepositStatus } from '../domain/deposits/deposit.ts';
import type { StrayReason } from '../domain/deposits/stray-reason.ts';
import type { PermanentAddress } from '../domain/invoices/permanent-address.ts';
import type { BalanceSummary, EntryKind, Posting } from '../domain/ledger.ts';
import type { BrandSettings } from '../domain/merchants/brand.ts';
import type { ChainHealthRepository } from './chains/chain-health.ts';
import type { ChainRepository } from './chains/chain-repository.ts';
import type { NodeUsageRepository } from './chains/node-usage.ts';
import type { UnknownTransactionRepository } from './chains/unknown-transactions.ts';
import type { Brand } from './checkout/checkout-queries.ts';
import type { InvoiceRepository } from './invoices/invoice-repository.ts';
import type { StoredAnswerRepository } from './invoices/stored-answers.ts';
import type { MerchantRepository } from './merchants/merchant-repository.ts';
import type { PayoutRepository } from './payouts/payout-repository.ts';
import type { OutgoingRepository } from './sending/outgoing-repository.ts';
import type { UtxoRepository } from './sending/utxo-repository.ts';
import type {
  CapitalRepository,
  FreezeRepository,
  SweepRepository,
} from './treasury/treasury-repositories.ts';
import type { WebhookOutbox } from './webhooks/webhook-outbox.ts';
import type { WebhookSecretRepository } from './webhooks/webhook-secrets.ts';

export interface UnitOfWork {
  /**
   * Runs `work` in one transaction: all of it is committed, or none. It repeats `work` after a
   * serialization failure, so `work` must not use the network. Throws StorageUnavailable when the
   * database is away.
   */
  run<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>;
}

/** The database is unreachable or too slow: HTTP 503, and the caller retries (decision 0003). */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
}

export interface Repositories {
  readonly merchants: MerchantRepository;
  readonly webhookSecrets: WebhookSecretRepository;
  readonly brands: BrandRepository;
  readonly invoices: InvoiceRepository;
  readonly addresses: AddressRepository;
  readonly permanentAddresses: PermanentAddressRepository;
  readonly deposits: DepositRepository;
  readonly ledger: LedgerRepository;
  readonly payouts: PayoutRepository;
  readonly outgoing: OutgoingRepository;
  readonly unknown: UnknownTransactionRepository;
  readonly utxos: UtxoRepository;
  readonly sweeps: SweepRepository;
  readonly capital: CapitalRepository;
  readonly frozen: FreezeRepository;
  readonly webhooks: WebhookOutbox;
  readonly chains: ChainRepository;
  readonly chainHealth: ChainHealthRepository;
  readonly nodeUsage: NodeUsageRepository;
  readonly listCounts: ListCountRepository;
  readonly answers: StoredAnswerRepository;
}

/** How a merchant's checkout looks. */
export interface BrandRepository {
  /** Null if nothing was ever set. */
  lock(merchantId: string): Promise<BrandSettings | null>;
  /** Replaces what was set. */
  put(merchantId: string, brand: BrandSettings): Promise<Brand>;
}

/** Every address ever issued: a payment to any of them is found. */
export interface AddressRepository {
  /** An invoice has one address of its own per family, besides retired ones. */
  insert(address: IssuedAddress): Promise<void>;
  /**
   * Lets the invoice take another address of the family. The retired one stays the invoice's: payments
   * to it are found.
   */
  retire(of: { invoiceId: string; family: string }): Promise<void>;
  /** By normalized address. */
  find(family: string, addresses: readonly string[]): Promise<readonly IssuedAddress[]>;
  /** Whether a normalized address was issued, or took our change. */
  isOurs(family: string, address: string): Promise<boolean>;
  /** Reserves `count` derivation indexes of a deriver, none below `atLeast`, and returns the first. Gaps are harmless. */
  reserveIndexes(wanted: { deriver: string; count: number; atLeast: number }): Promise<number>;
  /** How many were reserved so far; 0 for an unknown deriver. */
  reservedIndexes(deriver: string): Promise<number>;
  /** The same for all derivers. */
  allReservedIndexes(): Promise<ReadonlyMap<string, number>>;
  /** By deriver: one more than the highest index of an issued address. Reads all addresses. */
  issuedIndexes(): Promise<ReadonlyMap<string, number>>;
  /** The first index that the family's pool does not have yet (ports/chains/address-pool.ts). */
  derivedIndexes(family: string): Promise<number>;
  /** Adds the normalized addresses of the indexes from `from` on to the pool; existing ones stay. */
  addDerived(derived: { family: string; from: number; addresses: readonly string[] }): Promise<void>;
}

export interface IssuedAddress {
  readonly family: string;
  /** Normalized (AddressDeriver.normalize): the key within the family. */
  readonly address: string;
  /** The deriver of the index: the family, or `fake:<family>` (sandbox of a family without one). */
  readonly deriver: string;
  readonly derivationIndex: number;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly invoiceId: string | null;
  readonly permanentAddressId: string | null;
  /** When its invoice or user got it; null for addresses from before this column. */
  readonly issuedAt: Date | null;
}

export interface PermanentAddressRepository {
  /** Inserts and returns true, unless an active one of (merchant, environment, user, family) exists. */
  insertIfAbsent(address: PermanentAddress): Promise<boolean>;
  findActive(key: {
    merchantId: string;
    sandbox: boolean;
    userId: string;
    family: PermanentFamily;
  }): Promise<PermanentAddress | null>;
  find(id: string): Promise<PermanentAddress | null>;
  lock(id: string): Promise<PermanentAddress | null>;
  save(address: PermanentAddress): Promise<void>;
}

export interface DepositRepository {
  /** Inserts a deposit unless its credit key exists; returns the stored one, locked, in either case. */
  insertOrLock(deposit: Deposit): Promise<{ deposit: Deposit; inserted: boolean }>;
  /** A chain's deposits with these outputs, in no order and not locked. */
  findByKeys(
    chain: string,
    keys: readonly { readonly txid: string; readonly output: string }[],
  ): Promise<readonly Deposit[]>;
  lock(id: string): Promise<Deposit | null>;
  /** Locks those that are not locked elsewhere, ordered by id; never waits. */
  lockFree(ids: readonly string[]): Promise<readonly Deposit[]>;
  save(deposit: Deposit): Promise<void>;
  /** The same for many locked ones. */
  saveAll(deposits: readonly Deposit[]): Promise<void>;
  /** Of each invoice the `most` largest. Not locked. */
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
  /** Whether the invoice's own addresses on these chains have a deposit, unmatched ones included. */
  hasArrivals(invoiceId: string, chains: readonly string[]): Promise<boolean>;
  /** Whether the address got payments in this block that only a trace shows. */
  hasTraced(
    of: Pick<Deposit, 'chain' | 'address' | 'asset'> & { block: NonNullable<Deposit['block']> },
  ): Promise<boolean>;
  /** Base units of these unmatched deposits, final or not. */
  parkedUnits(of: ParkedDeposits): Promise<bigint>;
  /** Gives all of them to an invoice (which is locked) as if seen for it; returns their sum. */
  claimParked(of: ParkedDeposits, invoiceId: string): Promise<bigint>;
  /** Removes the block of a chain's deposits above `height`. */
  orphanAbove(chain: string, height: number): Promise<void>;
  /** A chain's `confirming` deposits in blocks up to `height` that no lock keeps beyond it. */
  unfinal(chain: string, height: number): Promise<readonly Deposit[]>;
  /** Whether there are any, at any height. */
  anyUnfinal(chain: string): Promise<boolean>;
  /**
   * Base units of a chain's asset in blocks up to `height` that are not credited: not final, not
   * screened, held, rejected, or unmatched. For chains where deposits lie in the hot wallet.
   */
  undecidedUnits(of: { chain: string; asset: string; height: number }): Promise<bigint>;
  /** A chain's deposits without a block, orphaned or in the mempool, that are not abandoned. */
  withoutBlock(chain: string): Promise<readonly Deposit[]>;
  /** Moves all deposits of these invoices (which are locked) from one status to another. */
  moveOfInvoices(
    invoiceIds: readonly string[],
    change: { from: DepositStatus; to: DepositStatus; strayReason: StrayReason | null },
  ): Promise<void>;
  /**
   * Invoices with `arrived` deposits to settle, ordered by the oldest: deposits that are not deferred,
   * or whose invoice ended without them. An open invoice counts only with deposits in an asset of
   * `priced`. `after` is the last one of the previous page, so that one that cannot be settled now does
   * not hide the rest.
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

export interface LedgerRepository {
  /**
   * Appends an entry with its postings, updates the balance summary, and numbers it in the merchant's
   * feed if `feed` is set.
   */
  post(entry: NewEntry): Promise<void>;
  /** The same for many, in this order, except reversals and reservations of payouts. */
  postAll(entries: readonly NewEntry[]): Promise<void>;
  /** The entries of a reference with their postings, oldest first. */
  entriesOf(referenceId: string): Promise<readonly (NewEntry & { id: string })[]>;
  /** Locks and reads the merchant's balance row, which is created at zero when absent. */
  lockBalance(merchantId: string, sandbox: boolean): Promise<BalanceSummary>;
}

export interface NewEntry {
  readonly id: string;
  /** Null for network fees and owner funding, which concern no merchant. */
  readonly merchantId: string | null;
  readonly sandbox: boolean;
  readonly kind: EntryKind;
  /** Id of the invoice, payout, outgoing transfer or deposit. */
  readonly referenceId: string;
  /** The deposit, if any. (deposit, kind, round) is unique, so that a credit happens once. */
  readonly depositId: string | null;
  readonly postings: readonly Posting[];
  /** Set on entries of the public feed (specification, "Ledger entry"). A reversal has negative units. */
  readonly feed: FeedLine | null;
  readonly at: Date;
}

export interface FeedLine {
  readonly type: 'income' | 'payout' | 'refund';
  readonly asset: string;
  /** Base units that the merchant received, paid out or refunded. */
  readonly amountUnits: bigint;
  /** Base units; null for payouts and refunds. */
  readonly feeUnits: bigint | null;
  /** Fiat currency of the invoice; null for payouts. */
  readonly currency: string | null;
  /** Change of the type's column of the balance summary (income, payouts, refunds), micro-USD. */
  readonly microUsd: bigint;
  /** Invoice or payout id. */
  readonly referenceId: string;
}

/** The totals of merchants' lists: always exact, and fast while their changes are folded regularly. */
export interface ListCountRepository {
  /** Folds up to `limit` changes into the counts; returns how many. */
  fold(limit: number): Promise<number>;
}
