/**
 * Judges, in every process, what workers noted of the chains: what is offered goes by it, and a chain that stays late raises an alarm,
 * also where no worker is left to note anything. The alarm is repeated, each time after a longer pause, and its end is told.
 */
import { healthOf, isLate, isToBeTold, secondsFrom, type Told } from '../../domain/chains/chain-health.ts';
import type { FollowedChain, NotedHealth } from '../../ports/chains/chain-health.ts';
import type { ChainStanding } from '../../ports/chains/chain-standing.ts';
import type { AppDependencies } from '../dependencies.ts';
import { type HealthTerms, timeByOthers } from './record-health.ts';

/** The first look at the chains ends what old notes said. */
const PATIENCE_SECONDS = 60;

/** Each call brings `view` up to date, which has null for what nothing was noted of yet, and tells what is to be told. */
export function healthWatch(
  deps: Pick<AppDependencies, 'clock' | 'logger' | 'unitOfWork'>,
  chains: ReadonlyMap<string, HealthTerms>,
  view: Map<string, ChainStanding | null>,
): () => Promise<void> {
  const lateFrom = new Map<string, Date>();

  async function tell(chain: string, noted: NotedHealth, standing: ChainStanding, now: Date): Promise<void> {
    const told: Told = { at: now, times: (noted.told?.times ?? 0) + 1 };
    if (!(await noteTold(chain, noted.told, told))) return;
    deps.logger.error('chain.late', {
      ...{ chain, state: standing.state, since: standing.since.toISOString(), fault: noted.fault },
      ...{ lag_seconds: standing.lagSeconds, lag_blocks: standing.lagBlocks },
    });
  }

  const noteTold = (chain: string, before: Told | null, now: Told | null): Promise<boolean> =>
    deps.unitOfWork.run(({ chainHealth }) => chainHealth.noteTold(chain, { before, now }));

  /** A start after a pause finds old notes, and one without its node is usual for a while. */
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

/** Nobody may have noted anything since: then only time has changed it. */
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
