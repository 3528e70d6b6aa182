/**
 * The worker's notes about a chain that it reads, for all processes: at each change, and now and
 * then.
 */
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

/** The configured terms of a chain's health. */
export type HealthTerms = Pick<HealthFacts, 'restSeconds' | 'boundSeconds'>;

export interface HealthNotes {
  /**
   * Call after a look at the chain, or a step of it. `fault`: why it failed, null if it succeeded.
   */
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

/**
 * Another worker may have newer facts. A note by a clock that was ahead is older than it claims.
 */
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
 * The second newest of the other chains' recent tips and the gateway's clock: neither a wrong clock
 * (safety.md K7) nor one chain ahead of its time makes others late. `now` if no chain has a recent
 * tip. Only chains with steady blocks count.
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
