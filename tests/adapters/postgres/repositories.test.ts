/** The storage contracts on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { describeAddressRepository } from '../../contracts/address-repository.ts';
import { describeChainHealthRepository } from '../../contracts/chain-health-repository.ts';
import { describeChainRepository } from '../../contracts/chain-repository.ts';
import { describeChosenInvoices } from '../../contracts/chosen-invoices.ts';
import { describeCoinRepository } from '../../contracts/coin-repository.ts';
import { describeDepositRepository } from '../../contracts/deposit-repository.ts';
import { describeInvoiceExpiry } from '../../contracts/invoice-expiry.ts';
import { describeInvoiceRepository } from '../../contracts/invoice-repository.ts';
import { describeLedgerBatches } from '../../contracts/ledger-batches.ts';
import { describeLedgerRepository } from '../../contracts/ledger-repository.ts';
import { describeMerchantRepository } from '../../contracts/merchant-repository.ts';
import { describeNodeUsageRepository } from '../../contracts/node-usage-repository.ts';
import { describeOutgoingBundles } from '../../contracts/outgoing-bundles.ts';
import { describeOutgoingRepository } from '../../contracts/outgoing-repository.ts';
import { describeOutgoingWallets } from '../../contracts/outgoing-wallets.ts';
import { describePayoutRepository } from '../../contracts/payout-repository.ts';
import { describePayoutsToSend } from '../../contracts/payouts-to-send.ts';
import { describeSweepRepository } from '../../contracts/sweep-repository.ts';
import { describeWebhookSecrets } from '../../contracts/webhook-secrets.ts';
import { needs } from '../../support/needs.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return { unitOfWork: postgresUnitOfWork(database), close: drop };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres repositories', () => {
  describeMerchantRepository('postgres', open);
  describeWebhookSecrets('postgres', open);
  describeInvoiceRepository('postgres', open);
  describeInvoiceExpiry('postgres', open);
  describeChosenInvoices('postgres', open);
  describeAddressRepository('postgres', open);
  describeDepositRepository('postgres', open);
  describeLedgerRepository('postgres', open);
  describeLedgerBatches('postgres', open);
  describePayoutRepository('postgres', open);
  describePayoutsToSend('postgres', open);
  describeOutgoingRepository('postgres', open);
  describeOutgoingBundles('postgres', open);
  describeOutgoingWallets('postgres', open);
  describeCoinRepository('postgres', open);
  describeSweepRepository('postgres', open);
  describeChainRepository('postgres', open);
  describeChainHealthRepository('postgres', open);
  describeNodeUsageRepository('postgres', open);
});
