/**
 * An operator's replays: they queue the current snapshot of invoices as new deliveries. Earlier
 * ones do not change.
 */
import { type AppError, appError } from '../../domain/errors.ts';
import { isDelivered } from '../../domain/invoices/invoice.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { AppDependencies } from '../dependencies.ts';
import { type EventNeeds, enqueueSnapshot } from './invoice-events.ts';

type Needs = EventNeeds & Pick<AppDependencies, 'unitOfWork' | 'operatorQueries'>;

export interface QueuedReplay {
  readonly deliveryId: string;
  readonly url: string;
}

/** One invoice, in any state. */
export function replayInvoice(deps: Needs): (invoiceId: string) => Promise<Result<QueuedReplay, AppError>> {
  return (invoiceId) =>
    deps.unitOfWork.run(async (repositories) => {
      const invoice = await repositories.invoices.lock(invoiceId);
      if (!invoice) return err(appError('NOT_FOUND', `No such invoice: ${invoiceId}`));
      const queued = await enqueueSnapshot(deps, repositories, invoice, {
        invoiceVersion: null,
        notifyUrl: null,
      });
      return queued === null
        ? err(appError('NO_DESTINATION', 'The invoice has no notify_url and its merchant no callback_url.'))
        : ok(queued);
    });
}

export interface DeadReplay {
  /** Invoices whose snapshot was queued, and payout deliveries that were queued again. */
  readonly queued: number;
  /**
   * Invoices left out: without a destination, or in a state that is never sent (expired, refunded).
   */
  readonly skipped: number;
  /** There are more dead deliveries than this run processed: repeat it. */
  readonly more: boolean;
}

const DEAD_PER_RUN = 10_000;

/**
 * Every invoice with a dead delivery (since an instant): one new delivery each, one transaction
 * each. Deliveries of payouts are queued as they are.
 */
export function replayDead(
  deps: Needs,
): (filter: { since: Date | null }, progress?: (done: number, total: number) => void) => Promise<DeadReplay> {
  return async ({ since }, progress) => {
    const dead = await deps.operatorQueries.deadDeliveries({ invoiceId: null, since, limit: DEAD_PER_RUN });
    const ofPayouts = dead.filter(({ invoiceId }) => invoiceId === null);
    const invoiceIds = [...new Set(dead.flatMap(({ invoiceId }) => invoiceId ?? []))];
    const now = deps.clock.now();
    let queued = await deps.unitOfWork.run(({ webhooks }) => webhooks.tellAgain(ofPayouts, now));
    for (const [index, invoiceId] of invoiceIds.entries()) {
      if (await replayIfPushed(deps, invoiceId)) queued += 1;
      progress?.(index + 1, invoiceIds.length);
    }
    return {
      queued,
      skipped: invoiceIds.length + ofPayouts.length - queued,
      more: dead.length === DEAD_PER_RUN,
    };
  };
}

function replayIfPushed(deps: Needs, invoiceId: string): Promise<boolean> {
  return deps.unitOfWork.run(async (repositories) => {
    const invoice = await repositories.invoices.lock(invoiceId);
    if (!invoice || !isDelivered(invoice.status)) return false;
    const queued = await enqueueSnapshot(deps, repositories, invoice, {
      invoiceVersion: null,
      notifyUrl: null,
    });
    return queued !== null;
  });
}
