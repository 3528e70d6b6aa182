/**
 * An operator's replays: they queue the current snapshot of invoices as new deliveries. Earlier
 * ones do not change.
 */
import { type AppError, appError } from '../../domain/errors.ts';
import { isDelivered } from '../../domain/invoices/invoice.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { DeadDelivery } from '../../ports/operator-queries.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { SET_LOCKS, tryTogether } from '../shared/try-together.ts';
import { type EventNeeds, enqueueSnapshot, enqueueSnapshots } from './invoice-events.ts';

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
  /** This run queued as many as it may: repeat it. */
  readonly more: boolean;
}

const QUEUED_PER_RUN = 10_000;
/** In one transaction. */
const SET = 500;

/**
 * Every invoice whose latest delivery was given up (since an instant): one new delivery each, in
 * sets, the first given up first. What waits or was delivered meanwhile is left out, so a run that
 * was broken off is repeated. Deliveries of payouts are queued as they are. `progress` is told how
 * many were looked at. What cannot be queued does not stop the others: the first failure is thrown
 * last.
 */
export function replayDead(
  deps: Needs,
): (filter: { since: Date | null }, progress?: (done: number) => void) => Promise<DeadReplay> {
  return async ({ since }, progress) => {
    // What this run queues may be given up while it runs: it is queued once.
    const done = new Set<string>();
    const failures: unknown[] = [];
    let [looked, queued] = [0, 0];
    let after: DeadDelivery | null = null;
    for (let isLast = false; !isLast && queued < QUEUED_PER_RUN; ) {
      const from = { since, after, limit: SET };
      const page: readonly DeadDelivery[] = await deps.operatorQueries.deadDeliveries(from);
      const set = page.filter((dead) => !done.has(subjectOf(dead)));
      let tried = false;
      const work = async (some: readonly DeadDelivery[]): Promise<void> => {
        // A set that missed its deadline may be queued all the same.
        const left = tried ? await stillDead(deps, from, some) : some;
        tried = true;
        const made = await deps.unitOfWork.run((on) => queueSet(deps, on, left), SET_LOCKS);
        for (const subject of made.subjects) done.add(subject);
        queued += made.queued;
      };
      await tryTogether(set, { work, failed: (_, error) => failures.push(error), stopping: undefined });
      const last: DeadDelivery | null = page.at(-1) ?? null;
      // A time with microseconds is read without them: its rows would come again for ever.
      isLast = page.length < SET || last?.id === after?.id;
      after = last;
      looked += set.length;
      progress?.(looked);
    }
    if (failures.length > 0) throw failures[0];
    return { queued, skipped: looked - queued, more: queued >= QUEUED_PER_RUN };
  };
}

async function stillDead(
  { operatorQueries }: Needs,
  from: Parameters<Needs['operatorQueries']['deadDeliveries']>[0],
  some: readonly DeadDelivery[],
): Promise<readonly DeadDelivery[]> {
  const ids = new Set((await operatorQueries.deadDeliveries(from)).map(({ id }) => id));
  return some.filter(({ id }) => ids.has(id));
}

/** What is queued once in a run: an invoice, or the delivery of a payout. */
const subjectOf = ({ id, invoiceId }: DeadDelivery): string => invoiceId ?? id;

async function queueSet(
  deps: Needs,
  repositories: Repositories,
  dead: readonly DeadDelivery[],
): Promise<{ readonly queued: number; readonly subjects: readonly string[] }> {
  const ids = dead.flatMap(({ invoiceId }) => invoiceId ?? []);
  const invoices = new Map(
    (await repositories.invoices.lockAll(ids)).map((invoice) => [invoice.id, invoice]),
  );
  const inOrder = ids.flatMap((id) => invoices.get(id) ?? []).filter(({ status }) => isDelivered(status));
  const ofPayouts = dead.filter(({ invoiceId }) => invoiceId === null);
  const again = await repositories.webhooks.tellAgain(ofPayouts, deps.clock.now());
  const told = await enqueueSnapshots(deps, repositories, inOrder);
  return {
    queued: again + told.length,
    subjects: [...ofPayouts.map(subjectOf), ...told.map(({ id }) => id)],
  };
}
