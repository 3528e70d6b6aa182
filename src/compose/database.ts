/** The database behind the ports: the configured one or the embedded one, migrated before anything uses it. */
import { join } from 'node:path';
import { postgresAddressPool } from '../adapters/postgres/address-pool.ts';
import { assetsInUse } from '../adapters/postgres/assets-in-use.ts';
import { type ChainRecords, postgresChainRecords } from '../adapters/postgres/chain-identities.ts';
import { openDatabase } from '../adapters/postgres/client.ts';
import { postgresInvoiceIntake } from '../adapters/postgres/invoice-intake.ts';
import { migrate } from '../adapters/postgres/migrate.ts';
import { postgresOperatorQueries } from '../adapters/postgres/operator-queries.ts';
import { postgresPayoutIntake } from '../adapters/postgres/payout-intake.ts';
import { postgresQueries } from '../adapters/postgres/queries.ts';
import { postgresStoredAnswers } from '../adapters/postgres/stored-answers.ts';
import { postgresTreasuryQueries } from '../adapters/postgres/treasury-queries.ts';
import { postgresUnitOfWork } from '../adapters/postgres/unit-of-work.ts';
import { postgresWalletKeys, type WalletKeys } from '../adapters/postgres/wallet-keys.ts';
import { postgresReceiverCircuits } from '../adapters/postgres/webhook-circuits.ts';
import { postgresWebhookQueue } from '../adapters/postgres/webhook-queue.ts';
import { startEmbeddedPostgres } from '../adapters/system/embedded-postgres.ts';
import type { AppDependencies } from '../app/dependencies.ts';
import type { Config } from '../config.ts';
import type { AddressPool } from '../ports/address-pool.ts';
import type { Logger } from '../ports/logger.ts';

/** Connections of a process: those that write and look single rows up, and those that read lists. Together 20 (docs/operations/deployment.md). */
const WRITERS = 14;
const READERS = 6;
/** The server ends a list after a tenth less. */
const LIST_TIMEOUT_MS = 1_700;
const MIGRATIONS = join(import.meta.dir, '..', '..', 'drizzle');

export interface ComposedDatabase {
  readonly ports: Pick<
    AppDependencies,
    | 'unitOfWork'
    | 'intake'
    | 'payoutIntake'
    | 'storedAnswers'
    | 'queries'
    | 'operatorQueries'
    | 'treasuryQueries'
    | 'webhookQueue'
    | 'receiverCircuits'
  >;
  readonly walletKeys: WalletKeys;
  readonly chainRecords: ChainRecords;
  /** Keys of the assets that the records name. */
  assetsInUse(): Promise<readonly string[]>;
  /** Of a family whose addresses the signer derives ahead. */
  addressPool(family: string): AddressPool;
  ping(): Promise<boolean>;
  /** Waits for running calls for at most so long. */
  close(graceMs?: number): Promise<void>;
}

export async function composeDatabase(
  config: Config,
  { logger }: { logger: Logger },
): Promise<ComposedDatabase> {
  const embedded =
    config.databaseUrl === null
      ? await startEmbeddedPostgres({ directory: join(config.dataDir, 'postgres'), logger })
      : null;
  const url = embedded?.url ?? config.databaseUrl;
  if (!url) throw new Error('no database is configured');
  const database = openDatabase({ url, poolSize: WRITERS, logger });
  const lists = openDatabase({ url, poolSize: READERS, queryTimeoutMs: LIST_TIMEOUT_MS, logger });
  const close = async (graceMs?: number) => {
    await Promise.all([database.close(graceMs), lists.close(graceMs)]);
    await embedded?.stop();
  };
  try {
    const { applied } = await migrate(database, { directory: MIGRATIONS });
    if (applied.length > 0) logger.info('database.migrated', { applied });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ports: {
      unitOfWork: postgresUnitOfWork(database),
      intake: postgresInvoiceIntake(database),
      payoutIntake: postgresPayoutIntake(database),
      storedAnswers: postgresStoredAnswers(database),
      queries: postgresQueries(database, lists),
      operatorQueries: postgresOperatorQueries(database),
      treasuryQueries: postgresTreasuryQueries(database),
      webhookQueue: postgresWebhookQueue(database),
      receiverCircuits: postgresReceiverCircuits(database),
    },
    walletKeys: postgresWalletKeys(database),
    chainRecords: postgresChainRecords(database),
    assetsInUse: () => assetsInUse(database),
    addressPool: (family) => postgresAddressPool(database, family),
    ping: () => database.ping(),
    close,
  };
}
