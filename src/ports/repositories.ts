/**
 * Writes: repositories exist only inside UnitOfWork.run, so nothing is written outside a
 * transaction. `lock…` methods take the row lock until its end. The order of locks is in
 * docs/architecture.md; a sweep locks its address's wallet, its deposits, then the hot wallet.
 */

import type { ChainHealthRepository } from './chains/chain-health.ts';
import type { ChainRepository } from './chains/chain-repository.ts';
import type { NodeUsageRepository } from './chains/node-usage.ts';
import type { UnknownTransactionRepository } from './chains/unknown-transactions.ts';
import type { BrandRepository } from './checkout/brand-repository.ts';
import type { DayFigureRepository } from './console/merchant-figures.ts';
import type { DepositRepository } from './deposits/deposit-repository.ts';
import type { AddressRepository } from './invoices/address-repository.ts';
import type { InvoiceRepository } from './invoices/invoice-repository.ts';
import type { PermanentAddressRepository } from './invoices/permanent-address-repository.ts';
import type { LedgerRepository } from './ledger-repository.ts';
import type { PaymentLinkRepository } from './links/payment-link-repository.ts';
import type { CustomerMailRepository } from './mails/customer-mail-repository.ts';
import type { MerchantRepository } from './merchants/merchant-repository.ts';
import type { PayoutRepository } from './payouts/payout-repository.ts';
import type { RefundClaimRepository } from './payouts/refund-claim-repository.ts';
import type { OutgoingRepository } from './sending/outgoing-repository.ts';
import type { UtxoRepository } from './sending/utxo-repository.ts';
import type { StoredAnswerRepository } from './stored-answers.ts';
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
  readonly paymentLinks: PaymentLinkRepository;
  readonly deposits: DepositRepository;
  readonly ledger: LedgerRepository;
  readonly payouts: PayoutRepository;
  readonly refundClaims: RefundClaimRepository;
  readonly outgoing: OutgoingRepository;
  readonly unknown: UnknownTransactionRepository;
  readonly utxos: UtxoRepository;
  readonly sweeps: SweepRepository;
  readonly capital: CapitalRepository;
  readonly frozen: FreezeRepository;
  readonly webhooks: WebhookOutbox;
  readonly customerMails: CustomerMailRepository;
  readonly chains: ChainRepository;
  readonly chainHealth: ChainHealthRepository;
  readonly nodeUsage: NodeUsageRepository;
  readonly listCounts: ListCountRepository;
  readonly dayFigures: DayFigureRepository;
  readonly answers: StoredAnswerRepository;
}

/**
 * The totals of merchants' lists: always exact, and fast while their changes are folded regularly.
 */
export interface ListCountRepository {
  /** Folds up to `limit` changes into the counts; returns how many. */
  fold(limit: number): Promise<number>;
}
