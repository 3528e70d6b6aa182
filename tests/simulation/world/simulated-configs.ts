/** The configuration of simulated processes, read once. */
import { catalogOf } from '../../../src/compose/catalog.ts';
import type { Config } from '../../../src/config/types.ts';
import type { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { TEST_RATES, testConfig } from '../../support/test-service.ts';

interface SimulatedConfigs {
  readonly worker: Config;
  readonly api: Config;
  readonly catalog: AssetCatalog;
}

/** Half a minute: a history is over before the days that a configuration asks for. */
const UNPAID_DAYS = 0.5 / (24 * 60);

let read: SimulatedConfigs | null = null;

export function simulatedConfigs(): SimulatedConfigs {
  if (read !== null) return read;
  const of = (role: 'worker' | 'api'): Config =>
    testConfig(
      {
        ...{ CHAINS: 'fake', ROLE: role, CONSOLE: 'off', WEBHOOK_ALLOWED_HOSTS: 'merchant.example' },
        // Neither is opened.
        ...{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', DATA_DIR: '/nowhere' },
      },
      { rates: TEST_RATES },
    );
  const worker = { ...of('worker'), retention: { webhookDays: 0, signedDays: 0, unpaidDays: UNPAID_DAYS } };
  read = { worker, api: of('api'), catalog: catalogOf(worker) };
  return read;
}
