/** The signer as a separate process: only it has the keys, and it reads the database itself. */
import { join } from 'node:path';
import { openDatabase } from '../../adapters/postgres/client/client.ts';
import { postgresSigningRecords } from '../../adapters/postgres/sending/signing-records.ts';
import { signerServer } from '../../adapters/signer/signer-server.ts';
import { pinoLogger } from '../../adapters/system/pino-logger.ts';
import { systemClock } from '../../adapters/system/system-clock.ts';
import type { ConfigError } from '../../config/config-error.ts';
import type { Config } from '../../config/types.ts';
import { catalogOf } from '../catalog.ts';
import { placeOf } from '../place.ts';
import { composeKeystoreSigner } from './signer.ts';
import { signersWallet } from './signer-wallet.ts';

const POOL_SIZE = 4;

/** Missing settings that only the signer process needs; empty if it has all. */
export function signerFaults(config: Config): readonly ConfigError[] {
  const faults: ConfigError[] = [];
  if (config.masterKey === null)
    faults.push({ path: 'MASTER_KEY', message: 'is needed: 32 random bytes, as 64 hex digits or base64' });
  if (databaseUrlOf(config) === null) {
    const message = 'is needed, or DATABASE_URL: the database in which payouts are stored';
    faults.push({ path: 'DATABASE_URL_SIGNER', message });
  }
  return faults;
}

/** Listens on the socket once it resolves. `stop` completes running orders first. */
export async function startSignerProcess(config: Config): Promise<{ socket: string; stop(): Promise<void> }> {
  const url = databaseUrlOf(config);
  if (url === null || config.masterKey === null)
    throw new Error('the configuration of the signer is incomplete');
  const logger = pinoLogger({ level: config.logLevel });
  const masterKey = Buffer.from(config.masterKey, 'hex');
  const database = openDatabase({ url, poolSize: POOL_SIZE, logger });
  const wallet = signersWallet(config, { database, masterKey, place: placeOf(config, url) });
  const signer = wallet.guarded(
    await composeKeystoreSigner(config, {
      catalog: catalogOf(config),
      clock: systemClock,
      logger,
      keystore: wallet.open,
      records: postgresSigningRecords(database),
    }),
  );
  const socket = config.signer.socket ?? join(config.dataDir, 'signer.sock');
  const server = signerServer({ path: socket, signer, logger });
  try {
    await server.listen();
  } catch (error) {
    await signer.close();
    throw error;
  }
  logger.info('service.ready', { role: 'signer', socket });
  return {
    socket,
    async stop() {
      await server.close();
      await signer.close();
      await database.close();
    },
  };
}

const databaseUrlOf = (config: Config): string | null => config.signer.databaseUrl ?? config.databaseUrl;
