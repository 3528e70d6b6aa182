/** How well the configured chains are followed: what workers note, what every process goes by. */
import type { AppDependencies } from '../app/dependencies.ts';
import { type HealthNotes, type HealthTerms, healthNotes } from '../app/note-health.ts';
import { type ChainStanding, healthWatch } from '../app/watch-health.ts';
import type { WorkerJob } from '../app/worker-jobs.ts';
import type { Config } from '../config.ts';
import { CHAINS, type Chain, isMined } from '../domain/chain.ts';
import { BEHIND_AFTER_SECONDS } from '../domain/chain-health.ts';
import type { ComposedChains } from './chains.ts';

const JUDGED_EVERY_MS = 5_000;
/** Miners may name a time up to two hours away from theirs (consensus rules of Bitcoin and Monero), and may take an hour for a block. */
const REST_SECONDS_MINED = 10_800;

export interface ComposedHealth {
  /** Of every configured chain. */
  readonly terms: ReadonlyMap<string, HealthTerms>;
  /** The same; null where nothing was noted yet. */
  readonly view: ReadonlyMap<string, ChainStanding | null>;
  readonly notes: HealthNotes;
  /** Of every role. */
  readonly job: WorkerJob;
}

export function composeHealth(
  config: Config,
  chains: Pick<ComposedChains, 'heard'>,
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
  return {
    ...{ terms: followed, view },
    notes: healthNotes(deps, followed),
    job: { name: 'watch-health', everyMs: JUDGED_EVERY_MS, run },
  };
}

/** On a test network blocks come when somebody makes them. */
function healthTerms(config: Config, { name, family, chainId }: Chain): HealthTerms {
  const settings = config.chains[name];
  const isMain =
    chainId === null
      ? (settings?.monero?.network ?? settings?.network ?? 'main') === 'main'
      : (settings?.chainId ?? chainId) === chainId;
  const rest = isMined(family) ? REST_SECONDS_MINED : 0;
  return {
    restSeconds: isMain && !config.fakeChains ? rest : null,
    boundSeconds: settings?.behindAfterSeconds ?? BEHIND_AFTER_SECONDS,
  };
}
