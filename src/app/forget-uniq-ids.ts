/** Forgets X-Uniq-Ids long after they expired, a batch at a time: they would pile up for ever otherwise. */
import { chainTime } from './chain-time.ts';
import type { AppDependencies } from './dependencies.ts';

/** Kept for this long after they expired: a process whose clock is behind still finds what it must not accept again. */
const KEPT_MS = 3_600_000;

/** Answers how many were forgotten, at most `limit`. */
export function forgetUniqIds({
  unitOfWork,
  clock,
}: Pick<AppDependencies, 'unitOfWork' | 'clock'>): (limit: number) => Promise<number> {
  return (limit) =>
    unitOfWork.run(async ({ chains, payouts }) => {
      const now = clock.now().getTime();
      // A clock that is ahead of the chains forgets nothing (safety.md K7).
      const earlier = Math.min(now, (await chainTime({ chains }))?.getTime() ?? now);
      return payouts.forgetUniqIds(new Date(earlier - KEPT_MS), limit);
    });
}
