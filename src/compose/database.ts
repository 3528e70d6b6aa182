/**
 * The database behind the ports: the configured or the embedded one, migrated before its first use.
 */
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../adapters/embedded-postgres/embedded-postgres.ts';
import { accountQueries } from '../adapters/postgres/accounts/account-queries.ts';
import { assetsInUse } from '../adapters/postgres/chains/assets-in-use.ts';
import { type ChainRecords, postgresChainRecords } from '../adapters/postgres/chains/chain-identities.ts';
import { type Database, openDatabase, type Reads } from '../adapters/postgres/client/client.ts';
import { migrate } from '../adapters/postgres/client/migrate.ts';
import { replicaReads } from '../adapters/postgres/client/replica-reads.ts';
import { postgresConsoleQueries } from '../adapters/postgres/console/console-queries.ts';
import { postgresAddressPool } from '../adapters/postgres/invoices/address-pool.ts';
import { postgresInvoiceWriter } from '../adapters/postgres/invoices/invoice-writer.ts';
import { postgresOperatorQueries } from '../adapters/postgres/operator-queries.ts';
import { postgresPayoutWriter } from '../adapters/postgres/payouts/payout-writer.ts';
import { postgresQueries } from '../adapters/postgres/queries.ts';
import { postgresWalletKeys, type WalletKeys } from '../adapters/postgres/sending/wallet-keys.ts';
import { postgresStoredAnswers } from '../adapters/postgres/stored-answers.ts';
import { postgresTreasuryQueries } from '../adapters/postgres/treasury/treasury-queries.ts';
import { postgresUnitOfWork } from '../adapters/postgres/unit-of-work.ts';
import { postgresReceiverCircuits } from '../adapters/postgres/webhooks/webhook-circuits.ts';
import { postgresWebhookQueue } from '../adapters/postgres/webhooks/webhook-queue.ts';
import type { AppDependencies } from '../app/dependencies.ts';
import type { Config } from '../config/types.ts';
import type { AccountQueries } from '../ports/accounts/account-queries.ts';
import type { AddressPool } from '../ports/chains/address-pool.ts';
import type { UnitOfWork } from '../ports/repositories.ts';
import type { Logger } from '../ports/runtime/logger.ts';

/**
 * Connections of a process: for writes and single rows, and for lists. Together 20
 * (docs/operations/deployment.md).
 */
const WRITERS = 14;
const READERS = 6;
/** The server ends a list a tenth earlier. */
const LIST_TIMEOUT_MS = 1_700;
/** A replica that is away holds the read that tries it no longer. */
const REPLICA_WAIT_MS = 300;
const MIGRATIONS = join(import.meta.dir, '..', '..', 'drizzle');

export interface ComposedDatabase {
  readonly ports: Pick<
    AppDependencies,
    | 'unitOfWork'
    | 'invoiceWriter'
    | 'payoutWriter'
    | 'storedAnswers'
    | 'queries'
    | 'operatorQueries'
    | 'consoleQueries'
    | 'treasuryQueries'
    | 'webhookQueue'
    | 'receiverCircuits'
  >;
  /** Its transactions cannot write. */
  readonly readOnly: UnitOfWork;
  readonly accountQueries: AccountQueries;
  readonly walletKeys: WalletKeys;
  readonly chainRecords: ChainRecords;
  /** Keys of the assets in the records. */
  assetsInUse(): Promise<readonly string[]>;
  /** For a family whose addresses the signer derives in advance. */
  addressPool(family: string): AddressPool;
  ping(): Promise<boolean>;
  /** Waits at most this long for running calls. */
  close(graceMs?: number): Promise<void>;
}

export async function composeDatabase(
  config: Config,
  { logger, writersMax = WRITERS }: { logger: Logger; writersMax?: number | undefined },
): Promise<ComposedDatabase> {
  const embedded =
    config.databaseUrl === null
      ? await startEmbeddedPostgres({ directory: join(config.dataDir, 'postgres'), logger })
      : null;
  const url = embedded?.url ?? config.databaseUrl;
  if (!url) throw new Error('no database is configured');
  const database = openDatabase({ url, poolSize: writersMax, logger });
  const lists = openDatabase({ url, poolSize: READERS, queryTimeoutMs: LIST_TIMEOUT_MS, logger });
  const replica = openReplica(config.databaseUrlRead, logger);
  const close = async (graceMs?: number) => {
    await Promise.all([database, lists, ...(replica ? [replica] : [])].map((each) => each.close(graceMs)));
    await embedded?.stop();
  };
  try {
    const { applied } = await migrate(database, { directory: MIGRATIONS });
    if (applied.length > 0) logger.info('database.migrated', { applied });
  } catch (error) {
    await close();
    throw error;
  }
  const fromReplica = (primary: Reads) =>
    replica === null ? primary : replicaReads({ primary, replica, logger });
  const sendsMails = config.mail !== null;
  return {
    ...databaseOn(database, {
      ...{ lists: fromReplica(lists), primaryLists: lists, metrics: fromReplica(database), sendsMails },
    }),
    close,
  };
}

function openReplica(url: string | null, logger: Logger): Database | null {
  if (url === null) return null;
  return openDatabase({
    url,
    ...{ poolSize: READERS, queryTimeoutMs: LIST_TIMEOUT_MS, waitTimeoutMs: REPLICA_WAIT_MS },
    ...{ onReplica: true, logger },
  });
}

/**
 * The ports over an open, migrated database. `lists` are the connections for whole lists,
 * `primaryLists` those that lead to no replica, and `metrics` are for the operators' metrics.
 */
export function databaseOn(
  database: Database,
  {
    lists,
    primaryLists = lists,
    metrics = database,
    sendsMails,
  }: {
    readonly lists: Reads;
    readonly primaryLists?: Reads;
    readonly metrics?: Reads;
    readonly sendsMails: boolean;
  },
): Omit<ComposedDatabase, 'close'> {
  return {
    ports: {
      unitOfWork: postgresUnitOfWork(database, { sendsMails }),
      invoiceWriter: postgresInvoiceWriter(database),
      payoutWriter: postgresPayoutWriter(database),
      storedAnswers: postgresStoredAnswers(database),
      queries: postgresQueries(database, lists, primaryLists),
      operatorQueries: postgresOperatorQueries(database, metrics),
      consoleQueries: postgresConsoleQueries(lists),
      treasuryQueries: postgresTreasuryQueries(database),
      webhookQueue: postgresWebhookQueue(database),
      receiverCircuits: postgresReceiverCircuits(database),
    },
    readOnly: postgresUnitOfWork({ transaction: database.snapshot }),
    accountQueries: accountQueries(database),
    walletKeys: postgresWalletKeys(database),
    chainRecords: postgresChainRecords(database),
    assetsInUse: () => assetsInUse(database),
    addressPool: (family) => postgresAddressPool(database, family),
    ping: () => database.ping(),
  };
}
