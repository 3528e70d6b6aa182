/**
 * Writes: repositories exist only inside UnitOfWork.run, so nothing is written outside a
 * transaction. `lock…` methods take the row lock until its end. The order of locks is in
 * docs/architecture.md; a sweep locks its address's wallet, its deposits, then the hot wallet.
 */

import type {
  InvitationRepository,
  MembershipRepository,
  UserRepository,
} from './accounts/account-repositories.ts';
import type { ApprovalRepository } from './accounts/approvals.ts';
import type {
  CeremonyRepository,
  PasskeyRepository,
  RecoveryCodeRepository,
  SessionRepository,
  SignInAttemptRepository,
} from './accounts/sign-in-repositories.ts';
import type { AuditRepository } from './audit/audit-log.ts';
import type { ChainHealthRepository } from './chains/chain-health.ts';
import type { ChainRepository } from './chains/chain-repository.ts';
import type { NodeUsageRepository } from './chains/node-usage.ts';
import type { UnknownTransactionRepository } from './chains/unknown-transactions.ts';
import type { BrandRepository } from './checkout/brand-repository.ts';
import type { DayFigureRepository } from './console/merchant-figures.ts';
import type { CreditRequestRepository } from './deposits/credit-requests.ts';
import type { DepositRepository } from './deposits/deposit-repository.ts';
import type { AddressRepository } from './invoices/address-repository.ts';
import type { InvoiceRepository } from './invoices/invoice-repository.ts';
import type { InvoiceRetention } from './invoices/invoice-retention.ts';
import type { PermanentAddressRepository } from './invoices/permanent-address-repository.ts';
import type { LedgerRepository } from './ledger-repository.ts';
import type { PaymentLinkRepository } from './links/payment-link-repository.ts';
import type { CustomerMailRepository } from './mails/customer-mail-repository.ts';
import type { MerchantRepository } from './merchants/merchant-repository.ts';
import type { OperatorNoticeRepository } from './notices/operator-notice-repository.ts';
import type { PayoutRepository } from './payouts/payout-repository.ts';
import type { RefundClaimRepository } from './payouts/refund-claim-repository.ts';
import type { BackupRecordRepository } from './runtime/backup-record.ts';
import type { OutgoingRepository } from './sending/outgoing-repository.ts';
import type { UtxoRepository } from './sending/utxo-repository.ts';
import type { StoredAnswerRepository } from './stored-answers.ts';
import type { ReconciliationRuns } from './treasury/reconciliation-runs.ts';
import type {
  CapitalRepository,
  ForwardRequestRepository,
  FreezeRepository,
  SweepRepository,
} from './treasury/treasury-repositories.ts';
import type { WebhookOutbox } from './webhooks/webhook-outbox.ts';
import type { WebhookRetention } from './webhooks/webhook-retention.ts';
import type { WebhookSecretRepository } from './webhooks/webhook-secrets.ts';

export interface UnitOfWork {
  /**
   * Runs `work` in one transaction: all of it is committed, or none. It repeats `work` after a
   * serialization failure, so `work` must not use the network. Throws StorageUnavailable when the
   * database is away.
   */
  run<T>(work: (repositories: Repositories) => Promise<T>, limits?: LockLimits): Promise<T>;
}

export interface LockLimits {
  /**
   * A statement that waits longer for a lock fails, and not as StorageUnavailable: what others have
   * locked is to blame. Default: it waits until its deadline.
   */
  readonly lockMs: number;
}

/** The database is unreachable or too slow: HTTP 503, and the caller retries (decision 0003). */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
  /** It was there, and missed a deadline: less may be done in time. */
  readonly isLate: boolean = false;
}

/** It missed a deadline: less of the work may be done in time. */
export const isLate = (error: unknown): boolean => error instanceof StorageUnavailable && error.isLate;

/** The database is unreachable, which concerns all work. */
export const isAway = (error: unknown): boolean => error instanceof StorageUnavailable && !error.isLate;

export interface Repositories {
  readonly merchants: MerchantRepository;
  readonly webhookSecrets: WebhookSecretRepository;
  readonly brands: BrandRepository;
  readonly users: UserRepository;
  readonly memberships: MembershipRepository;
  readonly invitations: InvitationRepository;
  readonly sessions: SessionRepository;
  readonly passkeys: PasskeyRepository;
  readonly recoveryCodes: RecoveryCodeRepository;
  readonly signInAttempts: SignInAttemptRepository;
  readonly ceremonies: CeremonyRepository;
  readonly invoices: InvoiceRepository;
  readonly addresses: AddressRepository;
  readonly permanentAddresses: PermanentAddressRepository;
  readonly paymentLinks: PaymentLinkRepository;
  readonly deposits: DepositRepository;
  readonly creditRequests: CreditRequestRepository;
  readonly ledger: LedgerRepository;
  readonly payouts: PayoutRepository;
  readonly refundClaims: RefundClaimRepository;
  readonly outgoing: OutgoingRepository;
  readonly unknown: UnknownTransactionRepository;
  readonly utxos: UtxoRepository;
  readonly sweeps: SweepRepository;
  readonly capital: CapitalRepository;
  readonly frozen: FreezeRepository;
  readonly forwardRequests: ForwardRequestRepository;
  readonly webhooks: WebhookOutbox;
  readonly webhookRetention: WebhookRetention;
  readonly invoiceRetention: InvoiceRetention;
  readonly customerMails: CustomerMailRepository;
  readonly operatorNotices: OperatorNoticeRepository;
  readonly backups: BackupRecordRepository;
  readonly chains: ChainRepository;
  readonly chainHealth: ChainHealthRepository;
  readonly nodeUsage: NodeUsageRepository;
  readonly listCounts: ListCountRepository;
  readonly dayFigures: DayFigureRepository;
  readonly answers: StoredAnswerRepository;
  readonly audit: AuditRepository;
  readonly approvals: ApprovalRepository;
  readonly reconciliations: ReconciliationRuns;
}

/**
 * The totals of merchants' lists: always exact, and fast while their changes are folded regularly.
 */
export interface ListCountRepository {
  /** Folds up to `limit` changes into the counts; returns how many. */
  fold(limit: number): Promise<number>;
}
