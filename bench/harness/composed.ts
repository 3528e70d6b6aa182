/** The service's parts inside the bench's own process, without its background work. */
import { readFileSync } from 'node:fs';
import { createMerchant } from '../../src/app/merchants/manage-merchants.ts';
import { compose, type Service } from '../../src/compose/compose.ts';
import { loadConfigOrExit } from '../../src/compose/load-config.ts';
import type { Overrides } from '../../src/compose/overrides.ts';
import { income } from '../../src/domain/ledger.ts';
import { silentLogger } from './silent-logger.ts';

type Environment = Readonly<Record<string, string>>;

export interface BenchMerchant {
  readonly id: string;
  readonly sandboxKey: string;
}

export function composeForBench(environment: Environment, overrides: Overrides = {}): Promise<Service> {
  const config = loadConfigOrExit(environment, { read: (path) => readFileSync(path, 'utf8') });
  return compose(config, { logger: silentLogger, schedule: false, ...overrides });
}

/** Migrates the database, too. */
export async function createMerchants(environment: Environment, count: number): Promise<BenchMerchant[]> {
  const service = await composeForBench(environment);
  try {
    const create = createMerchant(service.dependencies);
    const made: BenchMerchant[] = [];
    for (let number = 1; number <= count; number++) {
      const { merchant, sandboxKey } = await create({
        name: `Bench ${number}`,
        callbackUrl: null,
        allowedSubnets: ['127.0.0.0/8', '::1/128'],
        commissionPpm: null,
        live: true,
      });
      made.push({ id: merchant.id, sandboxKey });
    }
    return made;
  } finally {
    await service.stop();
  }
}

/** Gives each merchant's sandbox this much, as a simulated payment would. */
export async function fundMerchants(
  environment: Environment,
  merchants: readonly BenchMerchant[],
  microUsd: bigint,
): Promise<void> {
  const service = await composeForBench(environment);
  const { unitOfWork, ids, clock } = service.dependencies;
  const asset = 'usdt_ethereum';
  const value = { asset, creditedUnits: microUsd, feeUnits: 0n };
  try {
    for (const { id: merchantId } of merchants) {
      const referenceId = ids.id();
      await unitOfWork.run((repositories) =>
        repositories.ledger.post({
          id: ids.id(),
          merchantId,
          sandbox: true,
          kind: 'income',
          referenceId,
          depositId: null,
          postings: income({ ...value, receivedMicroUsd: microUsd, creditedMicroUsd: microUsd }),
          feed: {
            type: 'income',
            asset,
            amountUnits: microUsd,
            feeUnits: 0n,
            currency: 'USD',
            microUsd,
            referenceId,
          },
          at: clock.now(),
        }),
      );
    }
  } finally {
    await service.stop();
  }
}
