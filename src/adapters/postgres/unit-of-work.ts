/** One transaction per use case. Lost races (40001, 40P01) are run again by the database client. */
import type { Repositories, UnitOfWork } from '../../ports/repositories.ts';
import type { WebhookOutbox } from '../../ports/webhook-outbox.ts';
import { addressRepository } from './addresses.ts';
import { brandRepository } from './brands.ts';
import { capitalRepository } from './capital.ts';
import { chainHealthRepository } from './chain-health.ts';
import { chainRepository } from './chains.ts';
import type { Database, Sql } from './client.ts';
import { coinRepository } from './coins.ts';
import { depositRepository } from './deposits.ts';
import { freezeRepository } from './frozen-addresses.ts';
import { invoiceRepository } from './invoices.ts';
import { ledgerRepository } from './ledger.ts';
import { listCountRepository } from './list-counts.ts';
import { merchantRepository } from './merchants.ts';
import { nodeUsageRepository } from './node-usage.ts';
import { outgoingRepository } from './outgoing.ts';
import { payoutRepository } from './payouts.ts';
import { permanentAddressRepository } from './permanent-addresses.ts';
import { storedAnswerRepository } from './stored-answers.ts';
import { sweepRepository } from './sweeps.ts';
import { unknownTransactionRepository } from './unknown-transactions.ts';
import { webhookOutbox } from './webhook-outbox.ts';
import { webhookSecretRepository } from './webhook-secrets.ts';

export function postgresUnitOfWork(database: Database): UnitOfWork {
  return {
    run: (work) =>
      database.transaction(async (sql) => {
        const { outbox, flush } = webhookOutbox(sql);
        const result = await work(repositoriesOn(sql, outbox));
        await flush();
        return result;
      }),
  };
}

function repositoriesOn(sql: Sql, webhooks: WebhookOutbox): Repositories {
  return {
    merchants: merchantRepository(sql),
    webhookSecrets: webhookSecretRepository(sql),
    brands: brandRepository(sql),
    invoices: invoiceRepository(sql),
    addresses: addressRepository(sql),
    permanentAddresses: permanentAddressRepository(sql),
    deposits: depositRepository(sql),
    ledger: ledgerRepository(sql),
    payouts: payoutRepository(sql),
    outgoing: outgoingRepository(sql),
    unknown: unknownTransactionRepository(sql),
    coins: coinRepository(sql),
    sweeps: sweepRepository(sql),
    capital: capitalRepository(sql),
    frozen: freezeRepository(sql),
    webhooks,
    chains: chainRepository(sql),
    chainHealth: chainHealthRepository(sql),
    nodeUsage: nodeUsageRepository(sql),
    listCounts: listCountRepository(sql),
    answers: storedAnswerRepository(sql),
  };
}
