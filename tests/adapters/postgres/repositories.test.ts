/** The storage contracts on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { describeChainHealthRepository } from '../../contracts/chains/chain-health-repository.ts';
import { describeChainRepository } from '../../contracts/chains/chain-repository.ts';
import { describeNodeUsageRepository } from '../../contracts/chains/node-usage-repository.ts';
import { describeUnknownTransactions } from '../../contracts/chains/unknown-transactions.ts';
import { describeDepositRepository } from '../../contracts/deposits/deposit-repository.ts';
import { describeDepositsOfInvoices } from '../../contracts/deposits/deposits-of-invoices.ts';
import { describeAddressRepository } from '../../contracts/invoices/address-repository.ts';
import { describeChosenInvoices } from '../../contracts/invoices/chosen-invoices.ts';
import { describeInvoiceExpiry } from '../../contracts/invoices/invoice-expiry.ts';
import { describeInvoiceRepository } from '../../contracts/invoices/invoice-repository.ts';
import { describeLedgerRepository } from '../../contracts/ledger/ledger-repository.ts';
import { describeLedgerBatches } from '../../contracts/ledger/ledger-sets.ts';
import { describeCustomerMails } from '../../contracts/mails/customer-mails.ts';
import { describeMerchantRepository } from '../../contracts/merchants/merchant-repository.ts';
import { describePayoutRepository } from '../../contracts/payouts/payout-repository.ts';
import { describePayoutsToSend } from '../../contracts/payouts/payouts-to-send.ts';
import { describeOutgoingBatches } from '../../contracts/sending/outgoing-batches.ts';
import { describeOutgoingRepository } from '../../contracts/sending/outgoing-repository.ts';
import { describeOutgoingWallets } from '../../contracts/sending/outgoing-wallets.ts';
import { describeUtxoRepository } from '../../contracts/sending/utxo-repository.ts';
import { describeSweepRepository } from '../../contracts/sweeps/sweep-repository.ts';
import { describeForwardRecords } from '../../contracts/treasury/forward-records.ts';
import { describeWebhookSecrets } from '../../contracts/webhooks/webhook-secrets.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

async function open(options: { readonly sendsMails?: boolean } = {}) {
  const { database, drop } = await testDatabase();
  return { unitOfWork: postgresUnitOfWork(database, options), close: drop };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres repositories', () => {
  describeMerchantRepository('postgres', open);
  describeWebhookSecrets('postgres', open);
  describeInvoiceRepository('postgres', open);
  describeInvoiceExpiry('postgres', open);
  describeChosenInvoices('postgres', open);
  describeAddressRepository('postgres', open);
  describeCustomerMails('postgres', open);
  describeDepositRepository('postgres', open);
  describeDepositsOfInvoices('postgres', open);
  describeLedgerRepository('postgres', open);
  describeLedgerBatches('postgres', open);
  describePayoutRepository('postgres', open);
  describePayoutsToSend('postgres', open);
  describeOutgoingRepository('postgres', open);
  describeOutgoingBatches('postgres', open);
  describeOutgoingWallets('postgres', open);
  describeForwardRecords('postgres', open);
  describeUnknownTransactions('postgres', open);
  describeUtxoRepository('postgres', open);
  describeSweepRepository('postgres', open);
  describeChainRepository('postgres', open);
  describeChainHealthRepository('postgres', open);
  describeNodeUsageRepository('postgres', open);
});
