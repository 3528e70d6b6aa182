/** Deletes X-Uniq-Ids and responses to Idempotency-Keys long after they expired, in batches. */
import type { Repositories } from '../../ports/repositories.ts';
import { chainTime } from '../chains/chain-time.ts';
import type { AppDependencies } from '../dependencies.ts';

/**
 * Kept for this long after expiry: a process whose clock is behind still finds keys that it must
 * refuse.
 */
const KEPT_MS = 3_600_000;

type Needs = Pick<AppDependencies, 'unitOfWork' | 'clock'>;

/** Returns how many were deleted, at most `limit`. */
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
      // With a clock ahead of the chains nothing is deleted (safety.md K7).
      const earlier = Math.min(now, (await chainTime(repositories))?.getTime() ?? now);
      return forget(repositories, new Date(earlier - KEPT_MS), limit);
    });
}
