/** One transaction per use case. The database client repeats lost races (40001, 40P01). */
import type { LockLimits, Repositories, UnitOfWork } from '../../ports/repositories.ts';
import type { WebhookOutbox } from '../../ports/webhooks/webhook-outbox.ts';
import { approvalRepository } from './accounts/approvals.ts';
import { ceremonyRepository, signInAttemptRepository } from './accounts/attempts.ts';
import { passkeyRepository, recoveryCodeRepository, sessionRepository } from './accounts/sessions.ts';
import { invitationRepository, membershipRepository, userRepository } from './accounts/users.ts';
import { auditRepository } from './audit/audit-log.ts';
import { chainHealthRepository } from './chains/chain-health.ts';
import { chainRepository } from './chains/chains.ts';
import { nodeUsageRepository } from './chains/node-usage.ts';
import type { Sql } from './client/sql.ts';
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
import { storedAnswerRepository } from './stored-answers.ts';
import { sweepRepository } from './sweeps/sweeps.ts';
import { capitalRepository } from './treasury/capital.ts';
import { forwardRequestRepository } from './treasury/forward-requests.ts';
import { freezeRepository } from './treasury/frozen-addresses.ts';
import { reconciliationRuns } from './treasury/reconciliation-runs.ts';
import { webhookOutbox } from './webhooks/webhook-outbox.ts';
import { webhookRetention } from './webhooks/webhook-retention.ts';
import { webhookSecretRepository } from './webhooks/webhook-secrets.ts';

interface Transactions {
  transaction<T>(work: (sql: Sql) => Promise<T>, limits?: LockLimits): Promise<T>;
}

/** `sendsMails`: whether e-mails to customers are queued. */
export function postgresUnitOfWork(database: Transactions, { sendsMails = false } = {}): UnitOfWork {
  return {
    run: (work, limits) =>
      database.transaction(async (sql) => {
        const { outbox, flush } = webhookOutbox(sql);
        const result = await work(repositoriesOn(sql, outbox, sendsMails));
        await flush();
        return result;
      }, limits),
  };
}

function repositoriesOn(sql: Sql, webhooks: WebhookOutbox, sendsMails: boolean): Repositories {
  return {
    merchants: merchantRepository(sql),
    webhookSecrets: webhookSecretRepository(sql),
    brands: brandRepository(sql),
    users: userRepository(sql),
    memberships: membershipRepository(sql),
    invitations: invitationRepository(sql),
    sessions: sessionRepository(sql),
    passkeys: passkeyRepository(sql),
    recoveryCodes: recoveryCodeRepository(sql),
    signInAttempts: signInAttemptRepository(sql),
    ceremonies: ceremonyRepository(sql),
    invoices: invoiceRepository(sql),
    addresses: addressRepository(sql),
    permanentAddresses: permanentAddressRepository(sql),
    paymentLinks: paymentLinkRepository(sql),
    deposits: depositRepository(sql),
    creditRequests: creditRequestRepository(sql),
    ledger: ledgerRepository(sql),
    payouts: payoutRepository(sql),
    refundClaims: refundClaimRepository(sql),
    outgoing: outgoingRepository(sql),
    unknown: unknownTransactionRepository(sql),
    utxos: utxoRepository(sql),
    sweeps: sweepRepository(sql),
    capital: capitalRepository(sql),
    frozen: freezeRepository(sql),
    forwardRequests: forwardRequestRepository(sql),
    webhooks,
    webhookRetention: webhookRetention(sql),
    invoiceRetention: invoiceRetention(sql),
    customerMails: customerMailRepository(sql, sendsMails),
    operatorNotices: operatorNoticeRepository(sql),
    backups: backupRecordRepository(sql),
    chains: chainRepository(sql),
    chainHealth: chainHealthRepository(sql),
    nodeUsage: nodeUsageRepository(sql),
    listCounts: listCountRepository(sql),
    dayFigures: dayFigureRepository(sql),
    answers: storedAnswerRepository(sql),
    audit: auditRepository(sql),
    approvals: approvalRepository(sql),
    reconciliations: reconciliationRuns(sql),
  };
}
