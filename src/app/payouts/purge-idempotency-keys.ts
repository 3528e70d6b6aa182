/** Forgets X-Uniq-Ids and answers to Idempotency-Keys long after they expired, a batch at a time: they would pile up for ever otherwise. */
import type { Repositories } from '../../ports/repositories.ts';
import { chainTime } from '../chains/chain-time.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Kept for this long after they expired: a process whose clock is behind still finds what it must not accept again. */
const KEPT_MS = 3_600_000;

type Needs = Pick<AppDependencies, 'unitOfWork' | 'clock'>;

/** Answers how many were forgotten, at most `limit`. */
export type Forget = (limit: number) => Promise<number>;

export function purgeUniqIds(deps: Needs): Forget {
  return forgetting(deps, ({ payouts }, before, limit) => payouts.purgeUniqIds(before, limit));
}

export function purgeAnswers(deps: Needs): Forget {
  return forgetting(deps, ({ answers }, before, limit) => answers.forget(before, limit));
}

function forgetting(
  { unitOfWork, clock }: Needs,
  forget: (repositories: Repositories, expiredBefore: Date, limit: number) => Promise<number>,
): Forget {
  return (limit) =>
    unitOfWork.run(async (repositories) => {
      const now = clock.now().getTime();
      // A clock that is ahead of the chains forgets nothing (safety.md K7).
      const earlier = Math.min(now, (await chainTime(repositories))?.getTime() ?? now);
      return forget(repositories, new Date(earlier - KEPT_MS), limit);
    });
}
