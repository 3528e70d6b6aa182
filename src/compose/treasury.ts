/**
 * The treasury of every chain with a sender: sweeping and reconciliation as jobs of the worker, and
 * the parts that operators' scripts use.
 */

import type { AppDependencies } from '../app/dependencies.ts';
import type { WorkerJob } from '../app/shared/worker-job.ts';
import { sweeper, sweepJob } from '../app/sweeps/advance-sweeps.ts';
import type { TreasuryChain } from '../app/sweeps/sweep-needs.ts';
import { forwarder, forwardJob } from '../app/treasury/forwards/forward-job.ts';
import {
  booksOf,
  type LastReconciliation,
  lastReconciliation,
  reconcileJob,
  walkBooksJob,
} from '../app/treasury/reconcile.ts';
import type { Config } from '../config/types.ts';
import { chainNamed } from '../domain/catalog/chain.ts';
import type { ComposedChains } from './chains/chains.ts';
import { forwardRules, payoutLimits, sweepSharePpm } from './limits.ts';
import type { ComposedSending } from './sending.ts';

const SWEEP_EVERY_MS = 15_000;
const FORWARD_EVERY_MS = 300_000;

export interface ComposedTreasury {
  readonly chains: ReadonlyMap<string, TreasuryChain>;
  /** `sweep:<chain>` for each, `forward:<chain>` with a threshold, `walk-books`, `reconcile`. */
  readonly jobs: readonly WorkerJob[];
  readonly lastReconciliation: LastReconciliation;
}

export function composeTreasury(
  config: Config,
  parts: {
    deps: AppDependencies;
    chains: Pick<ComposedChains, 'senders'>;
    sending: Pick<ComposedSending, 'chains' | 'gates'>;
  },
): ComposedTreasury {
  const { deps, sending } = parts;
  const chains = treasuryChains(parts.chains, deps);
  const last = lastReconciliation();
  const settings = { sharePpm: sweepSharePpm(config), limits: payoutLimits(config, deps.catalog) };
  const everyMs = config.fakeChains ? 0 : SWEEP_EVERY_MS;
  const swept = [...chains.values()].filter(
    ({ sender }) => sender.utxos === null && !sender.capabilities.pooled,
  );
  const sweeps = swept.map((on) => sweepJob(deps, sweeper(deps, on, settings), everyMs));
  const forwards = forwardJobs(config, { deps, sending, last });
  return {
    chains,
    jobs: [
      ...sweeps,
      ...forwards,
      walkBooksJob(deps),
      // Nothing is forwarded before the books were compared.
      {
        ...reconcileJob(deps, [...chains.values()], last),
        handsOnTo: forwards.map(({ name }) => name),
      },
    ],
    lastReconciliation: last,
  };
}

/** One for each chain with a threshold on which this process signs. */
function forwardJobs(
  config: Config,
  parts: {
    deps: AppDependencies;
    sending: Pick<ComposedSending, 'chains' | 'gates'>;
    last: LastReconciliation;
  },
): readonly WorkerJob[] {
  const { deps, sending, last } = parts;
  const rules = [...forwardRules(config, deps.catalog)];
  const settings = { limits: payoutLimits(config, deps.catalog), books: booksOf(last) };
  const everyMs = config.fakeChains ? 0 : FORWARD_EVERY_MS;
  return [...sending.chains].flatMap(([chain, on]) => {
    const own = new Map(rules.filter(([asset]) => deps.catalog.require(asset).chain === chain));
    const gate = sending.gates.get(chain);
    if (own.size === 0 || gate === undefined) return [];
    return [forwardJob(deps, forwarder(deps, on, { ...settings, rules: own, gate }), everyMs)];
  });
}

/** They need no signer: they only read and plan. */
export function treasuryChains(
  { senders }: Pick<ComposedChains, 'senders'>,
  { liveDerivers }: Pick<AppDependencies, 'liveDerivers'>,
): ReadonlyMap<string, TreasuryChain> {
  const chains = new Map<string, TreasuryChain>();
  for (const [chain, sender] of senders) {
    const { family } = chainNamed(chain);
    const deriver = liveDerivers.get(family);
    if (deriver !== undefined) chains.set(chain, { chain, family, sender, deriver });
  }
  return chains;
}
