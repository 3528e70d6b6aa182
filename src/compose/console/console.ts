/** The desks of the console, and the jobs that end and carry out what they order. */
import { nodeLabel } from '../../adapters/chains/shared/nodes/node-endpoint.ts';
import type { Application } from '../../app/application.ts';
import { approvalJobs } from '../../app/console/approvals/approval-jobs.ts';
import { carryOut } from '../../app/console/approvals/carry-out.ts';
import { buildMerchantDesk } from '../../app/console/build-merchant-desk.ts';
import { buildOperatorDesk } from '../../app/console/build-operator-desk.ts';
import { merchantCarriers } from '../../app/console/merchant/merchant-carriers.ts';
import type { MerchantDesk } from '../../app/console/merchant-desk.ts';
import { operatorCarriers } from '../../app/console/operator/operator-carriers.ts';
import type { OperatorDesk } from '../../app/console/operator-desk.ts';
import type { AppDependencies } from '../../app/dependencies.ts';
import type { WorkerJob } from '../../app/shared/worker-job.ts';
import type { Config } from '../../config/types.ts';
import type { RoleDirectory } from '../../ports/accounts/role-directory.ts';
import { configuredCommission } from '../limits.ts';
import type { ComposedTreasury } from '../treasury.ts';

export interface ComposedConsole {
  readonly merchantDesk: MerchantDesk;
  readonly operatorDesk: OperatorDesk;
  /** Of workers. */
  readonly jobs: readonly WorkerJob[];
}

export function composeConsole(
  config: Config,
  of: {
    deps: AppDependencies;
    application: Application;
    treasury: Pick<ComposedTreasury, 'chains'>;
    roles: RoleDirectory;
  },
): ComposedConsole {
  const { deps, application, roles } = of;
  const parts = {
    ...{ deps, treasury: of.treasury.chains, commissionPpm: configuredCommission(config) },
    forwarded: Object.keys(config.treasury.forward),
    approvalAboveMicroUsd: config.console.approvalAboveMicroUsd,
    maxPerDayOf: planOf(config),
  };
  const carried = carryOut(deps, { ...merchantCarriers(deps, application), ...operatorCarriers(parts) });
  return {
    merchantDesk: buildMerchantDesk(deps, { application, roles, carryOut: carried }),
    operatorDesk: buildOperatorDesk(parts, { roles, carryOut: carried }),
    jobs: approvalJobs(deps, carried),
  };
}

function planOf(config: Config): (chain: string, node: string) => number | null {
  return (chain, node) => {
    const { rpc = [], esplora = [], electrum = [] } = config.chains[chain] ?? {};
    const its = [...rpc, ...esplora, ...electrum].find(
      ({ url }, position) => nodeLabel(position, new URL(url)) === node,
    );
    return its?.maxPerDay ?? null;
  };
}
