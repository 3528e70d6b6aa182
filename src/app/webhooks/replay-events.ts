/**
 * A merchant's replay in bulk: events whose webhooks are sent again, as they were, after an outage
 * of its receiver.
 */
import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { WantedAgain } from '../../ports/webhooks/webhook-outbox.ts';
import type { Caller } from '../caller.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Events that one call looks at, in sets of one transaction each. */
const LOOKED_AT_MOST = 10_000;
const SET = 1_000;

export interface ReplayedEvents {
  /** Webhooks that were queued. */
  readonly queued: number;
  /** Where to go on: the number of the last event that was looked at. */
  readonly nextAfter: number;
  readonly hasMore: boolean;
}

/**
 * Queues the webhook of each wanted event again, with the number and the body it has. An event that
 * another followed is left out: a receiver is told how things stand, and reads the rest in order
 * (GET /events). What waits to be sent is left alone. RATE_LIMITED while another is made for the
 * merchant: each may take the database a second.
 */
export function replayEvents(
  deps: Pick<AppDependencies, 'unitOfWork' | 'clock'>,
): (caller: Caller, wanted: WantedAgain) => Promise<Result<ReplayedEvents, AppError>> {
  const running = new Set<string>();

  async function replayed({ scope }: Caller, wanted: WantedAgain): Promise<ReplayedEvents> {
    let done = { queued: 0, nextAfter: wanted.after, hasMore: true };
    for (let looked = 0; looked < LOOKED_AT_MOST && done.hasMore; looked += SET) {
      const { queued, nextAfter } = done;
      done = await deps.unitOfWork.run(async ({ webhooks }) => {
        const next = await webhooks.toTellAgain(scope, { ...wanted, after: nextAfter }, SET);
        const more = await webhooks.tellAgain(next.deliveries, deps.clock.now());
        return { queued: queued + more, nextAfter: next.last, hasMore: next.more };
      });
    }
    return done;
  }

  return async (caller, wanted) => {
    const { merchantId } = caller.scope;
    if (running.has(merchantId))
      return err(
        appError('RATE_LIMITED', 'Another replay of yours is still running. Wait for its response.'),
      );
    running.add(merchantId);
    try {
      return ok(await replayed(caller, wanted));
    } finally {
      running.delete(merchantId);
    }
  };
}
