/** Webhooks that were given up start again, as if never tried, to the merchant's present URL. */
import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Scope } from '../../ports/list-queries.ts';
import type { AppDependencies } from '../dependencies.ts';

/** In one transaction. */
const AT_ONCE = 500;

/** One, or the oldest of all (null): repeat it until none is left. */
export function sendAgain({
  unitOfWork,
  clock,
}: Pick<AppDependencies, 'unitOfWork' | 'clock'>): (
  scope: Scope,
  deliveryId: string | null,
) => Promise<Result<{ readonly queued: number }, AppError>> {
  return (scope, deliveryId) =>
    unitOfWork.run(async ({ webhooks }) => {
      const dead = await webhooks.givenUp(scope, { id: deliveryId, most: AT_ONCE });
      const queued = await webhooks.tellAgain(dead, clock.now());
      return queued === 0
        ? err(appError('NOT_FOUND', 'There is no such webhook that was given up.'))
        : ok({ queued });
    });
}
