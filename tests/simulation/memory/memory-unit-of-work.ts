/** The repositories of a transaction in memory. */
import type { Repositories, UnitOfWork } from '../../../src/ports/repositories.ts';
import { approvalRepository } from './accounts/approvals.ts';
import { ceremonyRepository, signInAttemptRepository } from './accounts/attempts.ts';
import { passkeyRepository, recoveryCodeRepository, sessionRepository } from './accounts/sessions.ts';
import { invitationRepository, membershipRepository, userRepository } from './accounts/users.ts';
import { auditRepository } from './audit/audit-log.ts';
import { chainHealthRepository } from './chains/chain-health.ts';
import { chainRepository } from './chains/chains.ts';
import { nodeUsageRepository } from './chains/node-usage.ts';
import { dayFigureRepository } from './console/merchant-figures.ts';
import { creditRequestRepository } from './deposits/credit-requests.ts';
import { depositRepository } from './deposits/deposits.ts';
import { addressRepository } from './invoices/addresses.ts';
import { invoiceRetention } from './invoices/invoice-retention.ts';
import { invoiceRepository } from './invoices/invoices.ts';
import { permanentAddressRepository } from './invoices/permanent-addresses.ts';
import { ledgerRepository } from './ledger/ledger.ts';
import { paymentLinkRepository } from './links/payment-links.ts';
import { listCountRepository } from './lists/list-counts.ts';
import { customerMailRepository } from './mails/customer-mails.ts';
import { brandRepository } from './merchants/brands.ts';
import { merchantRepository } from './merchants/merchants.ts';
import { backupRecordRepository } from './notices/backup-record.ts';
import { operatorNoticeRepository } from './notices/operator-notices.ts';
import { payoutRepository } from './payouts/payouts.ts';
import { refundClaimRepository } from './payouts/refund-claims.ts';
import { outgoingRepository } from './sending/outgoing.ts';
import { unknownTransactionRepository } from './sending/unknown-transactions.ts';
import { utxoRepository } from './sending/utxos.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { storedAnswerRepository } from './stored-answers.ts';
import { sweepRepository } from './sweeps/sweeps.ts';
import { capitalRepository } from './treasury/capital.ts';
import { forwardRequestRepository } from './treasury/forward-requests.ts';
import { freezeRepository } from './treasury/frozen-addresses.ts';
import { reconciliationRuns } from './treasury/reconciliation-runs.ts';
import { webhookOutbox } from './webhooks/webhook-outbox.ts';
import { webhookRetention } from './webhooks/webhook-retention.ts';
import { webhookSecretRepository } from './webhooks/webhook-secrets.ts';

export function memoryUnitOfWork(store: MemoryStore, { sendsMails = false } = {}): UnitOfWork {
  const repositories = repositoriesOn(store, sendsMails);
  return { run: (work) => store.transaction(() => work(repositories)) };
}

/** Its transactions cannot write. */
export function memorySnapshots(store: MemoryStore): UnitOfWork {
  const repositories = repositoriesOn(store, false);
  return { run: (work) => store.readOnly(() => work(repositories)) };
}

function repositoriesOn(store: MemoryStore, sendsMails: boolean): Repositories {
  return {
    merchants: merchantRepository(store),
    webhookSecrets: webhookSecretRepository(store),
    brands: brandRepository(store),
    users: userRepository(store),
    memberships: membershipRepository(store),
    invitations: invitationRepository(store),
    sessions: sessionRepository(store),
    passkeys: passkeyRepository(store),
    recoveryCodes: recoveryCodeRepository(store),
    signInAttempts: signInAttemptRepository(store),
    ceremonies: ceremonyRepository(store),
    invoices: invoiceRepository(store),
    addresses: addressRepository(store),
    permanentAddresses: permanentAddressRepository(store),
    paymentLinks: paymentLinkRepository(store),
    deposits: depositRepository(store),
    creditRequests: creditRequestRepository(store),
    ledger: ledgerRepository(store),
    payouts: payoutRepository(store),
    refundClaims: refundClaimRepository(store),
    outgoing: outgoingRepository(store),
    unknown: unknownTransactionRepository(store),
    utxos: utxoRepository(store),
    sweeps: sweepRepository(store),
    capital: capitalRepository(store),
    frozen: freezeRepository(store),
    forwardRequests: forwardRequestRepository(store),
    customerMails: customerMailRepository(store, sendsMails),
    operatorNotices: operatorNoticeRepository(store),
    backups: backupRecordRepository(store),
    chains: chainRepository(store),
    chainHealth: chainHealthRepository(store),
    nodeUsage: nodeUsageRepository(store),
    listCounts: listCountRepository(store),
    dayFigures: dayFigureRepository(store),
    answers: storedAnswerRepository(store),
    audit: auditRepository(store),
    approvals: approvalRepository(store),
    reconciliations: reconciliationRuns(store),
    webhooks: webhookOutbox(store),
    webhookRetention: webhookRetention(store),
    invoiceRetention: invoiceRetention(store),
  };
}
