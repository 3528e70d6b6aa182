/** A database of its own with merchants in it, the service running on it, and a way to look into it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { createMerchant } from '../../src/app/manage-merchants.ts';
import { compose } from '../../src/compose.ts';
import { loadConfigOrExit } from '../../src/compose/load-config.ts';
import type { BenchDatabase } from './database.ts';
import { type ServiceProcess, serviceEnvironment, startService } from './service.ts';
import { silentLogger } from './silent-logger.ts';

export interface BenchMerchant {
  readonly id: string;
  readonly sandboxKey: string;
}

export interface PreparedService {
  readonly service: ServiceProcess;
  readonly databaseUrl: string;
  readonly merchants: readonly BenchMerchant[];
  /** One connection beside the service's own. */
  readonly sql: SQL;
  stop(): Promise<void>;
}

/** `fill` writes into the migrated database before the service starts. */
export async function prepareService(
  database: BenchDatabase,
  wanted: { name: string; merchants: number; fill?: (sql: SQL, merchants: readonly BenchMerchant[]) => Promise<void> },
): Promise<PreparedService> {
  const databaseUrl = await database.createDatabase(wanted.name);
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-bench-data-'));
  const environment = { ...serviceEnvironment(databaseUrl), DATA_DIR: dataDir };
  const merchants = await createMerchants(environment, wanted.merchants);
  const sql = new SQL({ url: databaseUrl, adapter: 'postgres', max: 1 });
  await wanted.fill?.(sql, merchants);
  const service = await startService(environment);
  return {
    service,
    databaseUrl,
    merchants,
    sql,
    async stop() {
      await service.stop();
      await sql.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function createMerchants(environment: Record<string, string>, count: number): Promise<BenchMerchant[]> {
  const config = loadConfigOrExit(environment, { read: (path) => Bun.file(path).toString() });
  const composed = await compose(config, { logger: silentLogger, schedule: false });
  try {
    const create = createMerchant(composed.dependencies);
    const made: BenchMerchant[] = [];
    for (let number = 1; number <= count; number++) {
      const { merchant, sandboxKey } = await create({
        name: `Bench ${number}`,
        callbackUrl: null,
        allowedSubnets: [],
        commissionPpm: null,
        live: true,
      });
      made.push({ id: merchant.id, sandboxKey });
    }
    return made;
  } finally {
    await composed.stop();
  }
}
