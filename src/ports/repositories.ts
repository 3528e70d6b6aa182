/**
 * Writing: repositories exist only inside UnitOfWork.run, so no write happens outside a transaction. `lock…` methods
 * take the row lock for the rest of the transaction; locks are taken in the order payout, outgoing transfer, invoice,
 * deposit, balance, and last the numbers of events; a payout that is let go, its merchant's balance, the hot wallet; and a sweep, the
 * wallet of its address, its deposits, the hot wallet.
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
   * Runs `work` in one transaction: all of it is committed or none. Serialization failures are retried inside, so `work`
   * may run more than once and must not touch the network. Throws StorageUnavailable when the database is away.
   */
  run<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>;
}

/** The database cannot be reached or did not answer in time: HTTP 503, and try again (decision 0003). */
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

/** How merchants want their customers to see them. */
export interface BrandRepository {
  /** Null where nothing was ever set. */
  lock(merchantId: string): Promise<BrandSettings | null>;
  /** Takes the place of what was set. */
  put(merchantId: string, brand: BrandSettings): Promise<Brand>;
}

/** The directory of every address ever issued: no payment to one of them is lost from sight. */
export interface AddressRepository {
  /** An invoice has one address of its own per family, besides retired ones. */
  insert(address: IssuedAddress): Promise<void>;
  /** Makes room for another address of an invoice in the family. The one it had stays the invoice's: what arrives there is found. */
  retire(of: { invoiceId: string; family: string }): Promise<void>;
  /** By normalized address. */
  find(family: string, addresses: readonly string[]): Promise<readonly IssuedAddress[]>;
  /** Whether a normalized address was issued, or took the change of a transaction of ours. */
  isOurs(family: string, address: string): Promise<boolean>;
  /** Reserves `count` derivation indexes of a deriver, none below `atLeast`, and returns the first. Gaps are harmless. */
  reserveIndexes(wanted: { deriver: string; count: number; atLeast: number }): Promise<number>;
  /** How many were reserved so far; 0 for a deriver that never had one. */
  reservedIndexes(deriver: string): Promise<number>;
  /** The same of all derivers that ever had one. */
  allReservedIndexes(): Promise<ReadonlyMap<string, number>>;
  /** By deriver: one more than the highest index of an address that was given out. Reads all addresses. */
  issuedIndexes(): Promise<ReadonlyMap<string, number>>;
  /** The index from which on nothing was derived for the family's pool (ports/chains/address-pool.ts). */
  derivedIndexes(family: string): Promise<number>;
  /** Adds normalized addresses to the pool, of the indexes from `from` on; what is there already stays as it is. */
  addDerived(derived: { family: string; from: number; addresses: readonly string[] }): Promise<void>;
}

export interface IssuedAddress {
  readonly family: string;
  /** Normalized (AddressDeriver.normalize): the key within the family. */
  readonly address: string;
  /** Names the deriver whose index this is: the family, or `fake:<family>` (sandbox addresses of families without one). */
  readonly deriver: string;
  readonly derivationIndex: number;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly invoiceId: string | null;
  readonly permanentAddressId: string | null;
  /** When it was given to its invoice or user; null for those of before that was noted. */
  readonly issuedAt: Date | null;
}

export interface PermanentAddressRepository {
  /** Inserts unless an active one of (merchant, environment, user, family) exists; false then. */
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
  /** Inserts a deposit unless its credit key is there already; returns the stored one in either case, locked. */
  insertOrLock(deposit: Deposit): Promise<{ deposit: Deposit; inserted: boolean }>;
  /** Those of a chain that have these outputs. In no order, and not locked. */
  findByKeys(
    chain: string,
    keys: readonly { readonly txid: string; readonly output: string }[],
  ): Promise<readonly Deposit[]>;
  lock(id: string): Promise<Deposit | null>;
  /** Locks those that nobody else has locked, ordered by id: it waits for nobody. */
  lockFree(ids: readonly string[]): Promise<readonly Deposit[]>;
  save(deposit: Deposit): Promise<void>;
  /** The same for many, which are locked, at once. */
  saveAll(deposits: readonly Deposit[]): Promise<void>;
  /** Those of many invoices, of each the `most` largest. Not locked. */
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
  /** Whether a payment of the invoice was seen that did not disappear (dropped, reversed). */
  hasPayment(invoiceId: string): Promise<boolean>;
  /** Whether anything was seen at addresses of the invoice's own on these chains that did not disappear, strays included. */
  hasArrivals(invoiceId: string, chains: readonly string[]): Promise<boolean>;
  /** Whether payments that only a trace shows came to the address in this block. */
  hasTraced(
    of: Pick<Deposit, 'chain' | 'address' | 'asset'> & { block: NonNullable<Deposit['block']> },
  ): Promise<boolean>;
  /** Base units of what is there, final or not, that no invoice takes for this reason. */
  parkedUnits(of: ParkedDeposits): Promise<bigint>;
  /** Makes all of that an invoice's (which is locked), as if it had been seen for it, and answers its sum. */
  claimParked(of: ParkedDeposits, invoiceId: string): Promise<bigint>;
  /** Takes their block from the deposits of a chain that sit above `height`. */
  orphanAbove(chain: string, height: number): Promise<void>;
  /** Deposits of a chain that are not final yet (status confirming) with a block at or below `height`, and not locked past it. */
  unfinal(chain: string, height: number): Promise<readonly Deposit[]>;
  /** Whether there are any, however high their block. */
  anyUnfinal(chain: string): Promise<boolean>;
  /**
   * Base units of an asset on a chain, in blocks up to `height`, that nobody decided on: not final, not checked, held, rejected,
   * or stray. For chains where they lie in the hot wallet.
   */
  undecidedUnits(of: { chain: string; asset: string; height: number }): Promise<bigint>;
  /** Deposits of a chain without a block: orphaned or in the mempool, but not given up. */
  withoutBlock(chain: string): Promise<readonly Deposit[]>;
  /** Moves all deposits of invoices (which are locked) from one status to another. */
  moveOfInvoices(
    invoiceIds: readonly string[],
    change: { from: DepositStatus; to: DepositStatus; strayReason: StrayReason | null },
  ): Promise<void>;
  /**
   * Invoices with `arrived` deposits that are not deferred, or are of an invoice that ended without them, by their oldest
   * such deposit. Of those that have not ended only with deposits in an asset of `priced`. `after` is the last one of the page before:
   * those that cannot be settled now do not hide the rest.
   */
  invoicesToScreen(page: {
    limit: number;
    after: InvoiceToScreen | null;
    priced: readonly string[];
  }): Promise<readonly InvoiceToScreen[]>;
  /** Assets that are not among `priced` of which such deposits wait, and since when the oldest is final. */
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
  /** Appends an entry with its postings, updates the balance summary, and numbers it in the merchant's feed where `feed` is set. */
  post(entry: NewEntry): Promise<void>;
  /** The same for many, in this order; of those that take back no other and reserve no payout. */
  postAll(entries: readonly NewEntry[]): Promise<void>;
  /** Entries of a reference with their postings, oldest first. */
  entriesOf(referenceId: string): Promise<readonly (NewEntry & { id: string })[]>;
  /** Locks the merchant's balance row (created at zero when absent) and reads it. */
  lockBalance(merchantId: string, sandbox: boolean): Promise<BalanceSummary>;
}

export interface NewEntry {
  readonly id: string;
  /** Null for what concerns no merchant: network fees and capital. */
  readonly merchantId: string | null;
  readonly sandbox: boolean;
  readonly kind: EntryKind;
  /** Invoice, payout, outgoing transfer or deposit id the entry is about. */
  readonly referenceId: string;
  /** Deposit the entry is about, where there is one: a unique (deposit, kind, round) is what makes a credit happen once. */
  readonly depositId: string | null;
  readonly postings: readonly Posting[];
  /** Set on entries of the public ledger feed (specification, "Ledger entry"). A reversal carries negative units. */
  readonly feed: FeedLine | null;
  readonly at: Date;
}

export interface FeedLine {
  readonly type: 'income' | 'payout' | 'refund';
  readonly asset: string;
  /** Base units of the asset; what the merchant got, paid out or gave back. */
  readonly amountUnits: bigint;
  /** Base units; null for payouts and refunds. */
  readonly feeUnits: bigint | null;
  /** Fiat currency of the invoice; null for payouts. */
  readonly currency: string | null;
  /** Change of the merchant's summary, in micro-USD of the type's own column (income, payouts, refunds). */
  readonly microUsd: bigint;
  /** Invoice or payout id. */
  readonly referenceId: string;
}

/** The totals of merchants' lists: exact at any moment, and quick as long as their changes are folded now and then. */
export interface ListCountRepository {
  /** Folds up to `limit` changes into the counts; answers how many. */
  fold(limit: number): Promise<number>;
}
