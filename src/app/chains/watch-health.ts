/**
 * Judges, in every process, the workers' notes about the chains. It decides what is offered, and a
 * chain that stays late raises an alarm, even if no worker runs any more. The alarm repeats after
 * growing pauses, and its end is logged.
 */
import {
  healthOf,
  isLate,
  isToBeTold,
  type RaisedAlarms,
  secondsFrom,
} from '../../domain/chains/chain-health.ts';
import type { FollowedChain, NotedHealth } from '../../ports/chains/chain-health.ts';
import type { ChainStanding } from '../../ports/chains/chain-standing.ts';
import type { AppDependencies } from '../dependencies.ts';
import { type HealthTerms, timeByOthers } from './record-health.ts';

/** After this time the first polls have replaced old notes. */
const PATIENCE_SECONDS = 60;

/** Each call updates `view`, with null for a chain without notes, and logs what has changed. */
export function healthWatch(
  deps: Pick<AppDependencies, 'clock' | 'logger' | 'unitOfWork'>,
  chains: ReadonlyMap<string, HealthTerms>,
  view: Map<string, ChainStanding | null>,
): () => Promise<void> {
  const lateFrom = new Map<string, Date>();

  async function tell(chain: string, noted: NotedHealth, standing: ChainStanding, now: Date): Promise<void> {
    const told: RaisedAlarms = { at: now, times: (noted.told?.times ?? 0) + 1 };
    if (!(await noteTold(chain, noted.told, told))) return;
    deps.logger.error('chain.late', {
      ...{ chain, state: standing.state, since: standing.since.toISOString(), fault: noted.fault },
      ...{ lag_seconds: standing.lagSeconds, lag_blocks: standing.lagBlocks },
    });
  }

  const noteTold = (chain: string, before: RaisedAlarms | null, now: RaisedAlarms | null): Promise<boolean> =>
    deps.unitOfWork.run(({ chainHealth }) => chainHealth.noteTold(chain, { before, now }));

  /** A start after a pause finds old notes, and a chain without its node is usual for a while. */
  function isToBeAlarmed(chain: string, { state, since }: ChainStanding, boundSeconds: number, now: Date) {
    if (state === 'never_reached') return secondsFrom(since, now) > boundSeconds;
    return secondsFrom(lateFrom.get(chain) ?? now, now) >= PATIENCE_SECONDS;
  }

  return async () => {
    const all = await deps.unitOfWork.run(({ chainHealth }) => chainHealth.all());
    const now = deps.clock.now();
    for (const [chain, terms] of chains) {
      const { read, noted } = all.get(chain) ?? { read: null, noted: null };
      const standing =
        noted && standingOf(read, noted, terms, { now, chainNow: timeByOthers(all, chains, { chain, now }) });
      view.set(chain, standing);
      if (noted === null || standing === null) continue;
      if (standing.late) {
        if (!lateFrom.has(chain)) lateFrom.set(chain, now);
        if (isToBeAlarmed(chain, standing, terms.boundSeconds, now) && isToBeTold(noted.told, now))
          await tell(chain, noted, standing, now);
        continue;
      }
      lateFrom.delete(chain);
      if (noted.told !== null && (await noteTold(chain, noted.told, null)))
        deps.logger.info('chain.in_time', { chain });
    }
  };
}

/** No worker may have written a note since: then only the time has changed it. */
export function standingOf(
  read: FollowedChain['read'],
  noted: NotedHealth,
  terms: HealthTerms,
  time: { now: Date; chainNow: Date },
): ChainStanding {
  const { tip, answeredAt } = noted;
  const health = healthOf({ ...terms, ...time, read, tip, answeredAt });
  const since = health.state === noted.state ? noted.since : (answeredAt ?? noted.since);
  return { ...health, since, late: isLate(health, terms.boundSeconds) };
}

/**
 * The highest block that is known of a chain. Notes of the tip are up to ten seconds old, and each
 * block that was read has been one: until the notes catch up, it is the tip. Null: none was seen.
 */
export function knownTip({ read, noted }: FollowedChain): number | null {
  const heights = [read?.height, noted?.tip?.height].filter((height) => height !== undefined);
  return heights.length === 0 ? null : Math.max(...heights);
}
