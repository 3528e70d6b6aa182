/** All ports of the storage in memory: what compose takes in place of the database. */
import type { ComposedDatabase } from '../../../src/compose/database.ts';
import { accountQueries } from './accounts/account-queries.ts';
import { assetsInUse } from './chains/assets-in-use.ts';
import { chainRecords } from './chains/chain-identities.ts';
import { consoleQueries } from './console/console-queries.ts';
import { addressPool } from './invoices/address-pool.ts';
import { invoiceWriter } from './invoices/invoice-writer.ts';
import { memorySnapshots, memoryUnitOfWork } from './memory-unit-of-work.ts';
import { operatorQueries } from './operator-queries.ts';
import { payoutWriter } from './payouts/payout-writer.ts';
import { queries } from './queries.ts';
import { walletKeys } from './sending/wallet-keys.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { storedAnswers } from './stored-answers.ts';
import { treasuryQueries } from './treasury/treasury-queries.ts';
import { receiverCircuits } from './webhooks/webhook-circuits.ts';
import { webhookQueue } from './webhooks/webhook-queue.ts';

export function memoryDatabase(store: MemoryStore, { sendsMails = false } = {}): ComposedDatabase {
  return {
    ports: {
      unitOfWork: memoryUnitOfWork(store, { sendsMails }),
      invoiceWriter: invoiceWriter(store),
      payoutWriter: payoutWriter(store),
      storedAnswers: storedAnswers(store),
      queries: queries(store),
      operatorQueries: operatorQueries(store),
      consoleQueries: consoleQueries(store),
      treasuryQueries: treasuryQueries(store),
      webhookQueue: webhookQueue(store),
      receiverCircuits: receiverCircuits(store),
    },
    readOnly: memorySnapshots(store),
    accountQueries: accountQueries(store),
    walletKeys: walletKeys(store),
    chainRecords: chainRecords(store),
    assetsInUse: async () => assetsInUse(store),
    addressPool: (family) => addressPool(store, family),
    ping: async () => true,
    close: async () => undefined,
  };
}
