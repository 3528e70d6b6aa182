/**
 * A database of its own with merchants in it, the service running on it, and a way to look into it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { type BenchMerchant, createMerchants } from './composed.ts';
import type { BenchDatabase } from './database.ts';
import { type Environment, type ServiceProcess, serviceEnvironment, startService } from './service.ts';

export interface PreparedService {
  readonly service: ServiceProcess;
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly merchants: readonly BenchMerchant[];
  /** One connection beside the service's own. */
  readonly sql: SQL;
  stop(): Promise<void>;
}

/** `fill` writes into the migrated database before the service starts. */
export async function prepareService(
  database: BenchDatabase,
  wanted: {
    name: string;
    merchants: number;
    fill?: (sql: SQL, merchants: readonly BenchMerchant[], environment: Environment) => Promise<void>;
  },
): Promise<PreparedService> {
  const databaseUrl = await database.createDatabase(wanted.name);
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-bench-data-'));
  const environment = { ...serviceEnvironment(databaseUrl), DATA_DIR: dataDir };
  const merchants = await createMerchants(environment, wanted.merchants);
  const sql = new SQL({ url: databaseUrl, adapter: 'postgres', max: 1 });
  await wanted.fill?.(sql, merchants, environment);
  const service = await startService(environment);
  return {
    service,
    databaseUrl,
    dataDir,
    merchants,
    sql,
    async stop() {
      await service.stop();
      await sql.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
