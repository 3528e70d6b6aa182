/**
 * The treasury of every chain with a sender: sweeping and reconciliation as jobs of the worker, and
 * the parts that operators' scripts use.
 */

import type { AppDependencies } from '../app/dependencies.ts';
import type { WorkerJob } from '../app/shared/worker-job.ts';
import { sweeper, sweepJob } from '../app/sweeps/advance-sweeps.ts';
import type { TreasuryChain } from '../app/sweeps/sweep-needs.ts';
import { type LastReconciliation, lastReconciliation, reconcileJob } from '../app/treasury/reconcile.ts';
import type { Config } from '../config/types.ts';
import { chainNamed } from '../domain/catalog/chain.ts';
import type { ComposedChains } from './chains/chains.ts';
import { payoutLimits, sweepSharePpm } from './limits.ts';

const SWEEP_EVERY_MS = 15_000;

export interface ComposedTreasury {
  readonly chains: ReadonlyMap<string, TreasuryChain>;
  /** `sweep:<chain>` for each chain, and `reconcile`. */
  readonly jobs: readonly WorkerJob[];
  readonly lastReconciliation: LastReconciliation;
}

export function composeTreasury(
  config: Config,
  parts: { deps: AppDependencies; chains: Pick<ComposedChains, 'senders'> },
): ComposedTreasury {
  const { deps } = parts;
  const chains = treasuryChains(parts.chains, deps);
  const last = lastReconciliation();
  const settings = { sharePpm: sweepSharePpm(config), limits: payoutLimits(config, deps.catalog) };
  const everyMs = config.fakeChains ? 0 : SWEEP_EVERY_MS;
  const swept = [...chains.values()].filter(
    ({ sender }) => sender.utxos === null && !sender.capabilities.pooled,
  );
  const sweeps = swept.map((on) => sweepJob(deps, sweeper(deps, on, settings), everyMs));
  return {
    chains,
    jobs: [...sweeps, reconcileJob(deps, [...chains.values()], last)],
    lastReconciliation: last,
  };
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
