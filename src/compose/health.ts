/** How well the configured chains are followed: workers record it, and every process uses it. */
import type { ChainFigures } from '../adapters/http/system/metrics-chains.ts';
import { nodeCallCount } from '../app/chains/count-node-calls.ts';
import { type HealthNotes, type HealthTerms, healthNotes } from '../app/chains/record-health.ts';
import { healthWatch } from '../app/chains/watch-health.ts';
import type { AppDependencies } from '../app/dependencies.ts';
import type { WorkerJob } from '../app/shared/worker-job.ts';
import type { Config } from '../config/types.ts';
import { CHAINS, type Chain } from '../domain/catalog/chain.ts';
import { isMined } from '../domain/catalog/family.ts';
import { BEHIND_AFTER_SECONDS } from '../domain/chains/chain-health.ts';
import type { ChainStanding } from '../ports/chains/chain-standing.ts';
import type { ComposedChains } from './chains/chains.ts';
import { isOnMainNetwork } from './chains/configured-networks.ts';

const JUDGED_EVERY_MS = 5_000;
const COUNTED_EVERY_MS = 60_000;
const STOP_PATIENCE_MS = 1_000;
/**
 * Miners may set a block's time up to two hours off (consensus rules of Bitcoin and Monero), and
 * may take an hour for a block.
 */
const REST_SECONDS_MINED = 10_800;

export interface ComposedHealth {
  /** Of every configured chain; null before the first record. */
  readonly view: ReadonlyMap<string, ChainStanding | null>;
  readonly notes: HealthNotes;
  /** Adds up the use of the nodes' plans with that of other processes. */
  count(): Promise<void>;
  /** Counts for the last time, unless the database is unavailable. */
  stop(): Promise<void>;
  figures(): readonly ChainFigures[];
  /** The jobs of every role. */
  readonly jobs: readonly WorkerJob[];
}

export function composeHealth(
  config: Config,
  chains: Pick<ComposedChains, 'heard' | 'nodes'>,
  deps: Pick<AppDependencies, 'clock' | 'logger' | 'unitOfWork'>,
): ComposedHealth {
  const followed = new Map(
    CHAINS.flatMap((chain) => {
      const heard = chains.heard.get(chain.name);
      return heard ? [[chain.name, { ...healthTerms(config, chain), heard }] as const] : [];
    }),
  );
  const view = new Map<string, ChainStanding | null>([...followed.keys()].map((chain) => [chain, null]));
  const run = healthWatch(deps, followed, view);
  const count = nodeCallCount(deps, chains.nodes);
  return {
    view,
    notes: healthNotes(deps, followed),
    count,
    async stop() {
      await Promise.race([count().catch(() => {}), Bun.sleep(STOP_PATIENCE_MS)]);
    },
    figures: () =>
      [...view].map(([chain, health]) => ({
        ...{ chain, health },
        nodes: chains.nodes.get(chain)?.standings() ?? [],
      })),
    jobs: [
      { name: 'watch-health', everyMs: JUDGED_EVERY_MS, run },
      { name: 'count-node-calls', everyMs: COUNTED_EVERY_MS, run: count },
    ],
  };
}

/** On a test network blocks only come on demand. */
export function healthTerms(config: Config, { name, family }: Chain): HealthTerms {
  const settings = config.chains[name];
  const rest = isMined(family) ? REST_SECONDS_MINED : 0;
  return {
    restSeconds: isOnMainNetwork(config, name) && !config.fakeChains ? rest : null,
    boundSeconds: settings?.behindAfterSeconds ?? BEHIND_AFTER_SECONDS,
  };
}
