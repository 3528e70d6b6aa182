/** Forgets X-Uniq-Ids long after they expired, a batch at a time: they would pile up for ever otherwise. */
import type { AppDependencies } from './dependencies.ts';

/** Kept for this long after they expired: a process whose clock is behind still finds what it must not accept again. */
const KEPT_MS = 3_600_000;

/** Answers how many were forgotten, at most `limit`. */
export function forgetUniqIds({
  unitOfWork,
  clock,
}: Pick<AppDependencies, 'unitOfWork' | 'clock'>): (limit: number) => Promise<number> {
  return (limit) => {
    const expiredBefore = new Date(clock.now().getTime() - KEPT_MS);
    return unitOfWork.run((repositories) => repositories.payouts.forgetUniqIds(expiredBefore, limit));
  };
}
