/** Every table of the schema, by its name in the code. A test holds it against the migrations. */
import {
  addresses,
  deposits,
  derivationIndexes,
  derivedAddresses,
  permanentAddresses,
} from '../../../../src/adapters/postgres/schema/addresses.ts';
import { chainHealth, nodeUsage } from '../../../../src/adapters/postgres/schema/chain-health.ts';
import {
  chainBlocks,
  chainCursors,
  chainIdentities,
} from '../../../../src/adapters/postgres/schema/chains.ts';
import {
  ceremonies,
  invitations,
  knownNetworks,
  memberships,
  passkeys,
  recoveryCodes,
  sessions,
  signInAttempts,
  users,
} from '../../../../src/adapters/postgres/schema/console/accounts.ts';
import { approvals, reconciliations } from '../../../../src/adapters/postgres/schema/console/approvals.ts';
import { auditLog } from '../../../../src/adapters/postgres/schema/console/audit.ts';
import { creditRequests } from '../../../../src/adapters/postgres/schema/console/credit-requests.ts';
import { dayFigureChanges, dayFigures } from '../../../../src/adapters/postgres/schema/console/figures.ts';
import {
  newestBackup,
  operatorNoticeDeliveries,
  operatorNotices,
} from '../../../../src/adapters/postgres/schema/console/notices.ts';
import { invoices } from '../../../../src/adapters/postgres/schema/invoices.ts';
import { ledgerEntries, ledgerPostings } from '../../../../src/adapters/postgres/schema/ledger.ts';
import { paymentLinks } from '../../../../src/adapters/postgres/schema/links.ts';
import {
  invoiceEmails,
  invoiceExtras,
  listCountChanges,
  listCounts,
  removedInvoices,
} from '../../../../src/adapters/postgres/schema/lists.ts';
import { customerMails } from '../../../../src/adapters/postgres/schema/mails.ts';
import {
  apiKeys,
  balances,
  counters,
  merchantBrands,
  merchants,
  webhookSecrets,
} from '../../../../src/adapters/postgres/schema/merchants.ts';
import {
  outgoingTransfers,
  signedTransactions,
  signingSwitch,
  utxos,
  wallets,
} from '../../../../src/adapters/postgres/schema/outgoing.ts';
import { payouts, uniqIds } from '../../../../src/adapters/postgres/schema/payouts.ts';
import { refundClaims } from '../../../../src/adapters/postgres/schema/refund-claims.ts';
import { storedAnswers } from '../../../../src/adapters/postgres/schema/stored-answers.ts';
import {
  capitalBookings,
  forwardRequests,
  frozenAddresses,
  sweeps,
} from '../../../../src/adapters/postgres/schema/treasury.ts';
import {
  foundPaid,
  unknownTransactions,
} from '../../../../src/adapters/postgres/schema/unknown-transactions.ts';
import {
  bookDoubts,
  bookWalk,
  unverifiedEntries,
  verifiedBalances,
  verifiedNumbers,
} from '../../../../src/adapters/postgres/schema/verified.ts';
import { walletKeys } from '../../../../src/adapters/postgres/schema/wallet.ts';
import {
  webhookAttempts,
  webhookCircuits,
  webhookDeliveries,
  webhookQueue,
} from '../../../../src/adapters/postgres/schema/webhooks.ts';

export const SCHEMA = {
  addresses,
  apiKeys,
  approvals,
  auditLog,
  balances,
  bookDoubts,
  bookWalk,
  capitalBookings,
  ceremonies,
  chainBlocks,
  chainCursors,
  chainHealth,
  chainIdentities,
  counters,
  creditRequests,
  customerMails,
  dayFigureChanges,
  dayFigures,
  deposits,
  derivationIndexes,
  derivedAddresses,
  forwardRequests,
  foundPaid,
  frozenAddresses,
  invitations,
  invoiceEmails,
  invoiceExtras,
  invoices,
  knownNetworks,
  ledgerEntries,
  ledgerPostings,
  listCountChanges,
  listCounts,
  memberships,
  merchantBrands,
  merchants,
  newestBackup,
  nodeUsage,
  operatorNoticeDeliveries,
  operatorNotices,
  outgoingTransfers,
  passkeys,
  paymentLinks,
  payouts,
  permanentAddresses,
  reconciliations,
  recoveryCodes,
  refundClaims,
  removedInvoices,
  sessions,
  signInAttempts,
  signedTransactions,
  signingSwitch,
  storedAnswers,
  sweeps,
  uniqIds,
  unknownTransactions,
  unverifiedEntries,
  users,
  utxos,
  verifiedBalances,
  verifiedNumbers,
  walletKeys,
  wallets,
  webhookAttempts,
  webhookCircuits,
  webhookDeliveries,
  webhookQueue,
  webhookSecrets,
};
