/** Removes what is over: sessions, links, ceremonies, and what was counted. */
import { SESSION_IDLE_MS, SESSION_LONGEST_MS } from '../../domain/accounts/session.ts';
import { NETWORK_KNOWN_MS, TALLY_FORGOTTEN_MS } from '../../domain/accounts/throttle.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Removes up to `limit` of each, and returns the most of one kind. */
export function forgetAccounts({
  unitOfWork,
  clock,
}: Pick<AppDependencies, 'unitOfWork' | 'clock'>): (limit: number) => Promise<number> {
  return async (limit) => {
    const now = clock.now();
    const before = (ms: number) => new Date(now.getTime() - ms);
    const removed = [
      await unitOfWork.run(({ sessions }) =>
        sessions.purge({ createdAt: before(SESSION_LONGEST_MS), lastSeenAt: before(SESSION_IDLE_MS) }, limit),
      ),
      await unitOfWork.run(({ invitations }) => invitations.purge(now, limit)),
      await unitOfWork.run(({ ceremonies }) => ceremonies.purge(now, limit)),
      await unitOfWork.run(({ signInAttempts }) =>
        signInAttempts.purge(
          { attempts: before(TALLY_FORGOTTEN_MS), networks: before(NETWORK_KNOWN_MS) },
          limit,
        ),
      ),
    ];
    return Math.max(...removed);
  };
}
