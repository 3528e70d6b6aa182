/** What the worker that reads a chain notes of it, for all processes: when something changes, and now and then. */
import {
  type ChainFault,
  type HealthFacts,
  healthOf,
  secondsFrom,
} from '../../domain/chains/chain-health.ts';
import type { FollowedChain } from '../../ports/chains/chain-health.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { HeardHead } from './latest-head.ts';

const NOTED_EVERY_SECONDS = 10;

/** What the health of a chain is judged by, besides what is noted of it. */
export type HealthTerms = Pick<HealthFacts, 'restSeconds' | 'boundSeconds'>;

export interface HealthNotes {
  /** After a look at the chain, or a step of it; `fault`: why it failed, null where it did not. */
  note(chain: string, fault: ChainFault | null): Promise<void>;
}

export function healthNotes(
  deps: Pick<AppDependencies, 'clock' | 'unitOfWork'>,
  chains: ReadonlyMap<string, HealthTerms & { heard(): HeardHead | null }>,
): HealthNotes {
  const notedLast = new Map<string, { readonly at: Date; readonly fault: ChainFault | null }>();

  return {
    async note(chain, fault) {
      const terms = chains.get(chain);
      if (!terms) throw new Error(`no such chain is followed: ${chain}`);
      const now = deps.clock.now();
      const last = notedLast.get(chain);
      const apart = last
        ? Math.max(secondsFrom(last.at, now), secondsFrom(now, last.at))
        : NOTED_EVERY_SECONDS;
      if (last?.fault === fault && apart < NOTED_EVERY_SECONDS) return;
      notedLast.set(chain, { at: now, fault });
      const head = terms.heard();
      await deps.unitOfWork.run(async ({ chainHealth }) => {
        const all = await chainHealth.all();
        const { read = null, noted = null } = all.get(chain) ?? {};
        const { tip, answeredAt } = newestHeard(head, noted, now);
        const facts = { read, tip, answeredAt, now, chainNow: timeByOthers(all, chains, { chain, now }) };
        const health = healthOf({ ...facts, ...terms });
        const since = noted?.state === health.state ? noted.since : now;
        await chainHealth.note(chain, { ...health, since, tip, answeredAt, fault });
      });
    },
  };
}

/** Another worker may have heard of the chain since; what was noted by a clock that was ahead is older than it says. */
function newestHeard(
  head: HeardHead | null,
  noted: FollowedChain['noted'],
  now: Date,
): Pick<NonNullable<FollowedChain['noted']>, 'tip' | 'answeredAt'> {
  const notedAt = noted?.answeredAt ?? null;
  if (head !== null && (notedAt === null || notedAt <= head.at || notedAt > now))
    return { tip: { height: head.tip.height, time: new Date(head.tip.time * 1000) }, answeredAt: head.at };
  return { tip: noted?.tip ?? null, answeredAt: notedAt };
}

/**
 * The newest time that two tell, of the tips that other chains told lately and our clock: neither a wrong clock of ours (safety.md K7) nor
 * a chain that is ahead of its time makes others late. `now` where no chain told any. Only chains whose blocks come all the time tell it.
 */
export function timeByOthers(
  all: ReadonlyMap<string, FollowedChain>,
  chains: ReadonlyMap<string, HealthTerms>,
  { chain, now }: { chain: string; now: Date },
): Date {
  const times = [...chains].flatMap(([name, { restSeconds, boundSeconds }]) => {
    const noted = all.get(name)?.noted;
    if (name === chain || restSeconds === null || restSeconds > boundSeconds || !noted?.tip) return [];
    const isLately = noted.answeredAt !== null && secondsFrom(noted.answeredAt, now) <= boundSeconds;
    return isLately ? [noted.tip.time.getTime()] : [];
  });
  const [, secondNewest = now.getTime()] = [...times, now.getTime()].toSorted((a, b) => b - a);
  return new Date(secondNewest);
}
