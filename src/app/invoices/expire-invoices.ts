/**
 * Ends invoices whose time has passed: created -> expired (no webhook), partially_paid STATIC ->
 * cancelled (webhook). Each step takes many of them in a few statements, however long the backlog
 * is (safety.md W3).
 */
import { type BoundedMap, boundedMap } from '../../domain/bounded-map.ts';
import type { DueInvoice, ExpiryQuery } from '../../ports/invoices/invoice-repository.ts';
import { isAway, type Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { drain } from '../shared/drain.ts';
import { byMerchant, merchantFailures } from '../shared/merchant-failures.ts';
import { NOTES_MAX } from '../shared/notes-max.ts';
import { SET_LOCKS, tryTogether } from '../shared/try-together.ts';
import { applyEventToAll, type EventNeeds } from './invoice-events.ts';
import { strand } from './strand-payments.ts';

export type ExpiryNeeds = EventNeeds & Pick<AppDependencies, 'unitOfWork' | 'logger'>;

/** Invoices per statement that ends them: some hundred milliseconds. */
const EXPIRED_AT_ONCE = 2_000;
/** Fewer, because each has a webhook. */
const CANCELLED_AT_ONCE = 500;

interface Kind {
  readonly status: DueInvoice['status'];
  readonly atOnce: number;
  /** Returns how many it ended. */
  readonly end: (repositories: Repositories, query: ExpiryQuery) => Promise<number>;
}

/**
 * `chains` are all configured ones, reachable or not: an invoice on one waits until that chain was
 * read past its time. An invoice that cannot be ended is logged, and the others end. Rejects once
 * the database is away. What else fails rejects when all else is done.
 */
export function expireInvoices(
  deps: ExpiryNeeds,
  chains: readonly string[],
): (stopping?: AbortSignal) => Promise<void> {
  const kinds = [unpaid, partlyPaid(deps)].map((kind) => ({
    kind,
    failedIn: boundedMap<string, number>(NOTES_MAX),
  }));
  let nth = 0;

  async function queryOf({ chains: read }: Repositories, limit: number): Promise<ExpiryQuery> {
    const covered = await read.coveredUntil();
    const coveredUntil = new Map(chains.map((chain) => [chain, covered.get(chain) ?? null]));
    return { now: deps.clock.now(), coveredUntil, limit, among: null };
  }
  const end = ({ end: endThese, atOnce }: Kind, only: Partial<ExpiryQuery>) =>
    deps.unitOfWork.run(
      async (repositories) => endThese(repositories, { ...(await queryOf(repositories, atOnce)), ...only }),
      SET_LOCKS,
    );

  /** One after the other through the list, so that what fails keeps none from its turn. */
  async function endApart({ kind, failedIn }: (typeof kinds)[number], stopping?: AbortSignal) {
    const limit = kind.atOnce / 2;
    const failures = merchantFailures();
    let after: DueInvoice | null = null;
    for (let isOver = false; !isOver && !stopping?.aborted; ) {
      const from = after;
      const due: readonly DueInvoice[] = await deps.unitOfWork.run(async (repositories) =>
        repositories.invoices.due(kind.status, await queryOf(repositories, limit), from),
      );
      await tryTogether(inTurn(due, failedIn), {
        async work(some) {
          const among = failures.left(some).map(({ id }) => id);
          if (among.length > 0) await end(kind, { among });
        },
        failed({ id, merchantId }, error) {
          failures.note(merchantId);
          failedIn.set(id, nth);
          deps.logger.error('invoice.not_ended', { invoiceId: id, merchantId, error: String(error) });
        },
        stopping,
      });
      const last: DueInvoice | null = due.at(-1) ?? null;
      // A time with microseconds is read without them: its invoice would come again for ever.
      isOver = due.length < limit || last?.id === after?.id;
      after = last;
    }
  }

  async function endAll(of: (typeof kinds)[number], stopping?: AbortSignal): Promise<void> {
    try {
      await drain((limit) => end(of.kind, { limit }), of.kind.atOnce, stopping);
    } catch (error) {
      if (isAway(error)) throw error;
      await endApart(of, stopping);
    }
  }

  return async (stopping) => {
    nth += 1;
    const failures: unknown[] = [];
    for (const of of kinds)
      await endAll(of, stopping).catch((error: unknown) => {
        if (isAway(error)) throw error;
        failures.push(error);
      });
    if (failures.length > 0) throw failures[0];
  };
}

const unpaid: Kind = {
  status: 'created',
  atOnce: EXPIRED_AT_ONCE,
  async end(repositories, query) {
    const ended = await repositories.invoices.expireUnpaid(query);
    await strand(repositories, ended);
    return ended.length;
  },
};

const partlyPaid = (deps: ExpiryNeeds): Kind => ({
  status: 'partially_paid',
  atOnce: CANCELLED_AT_ONCE,
  async end(repositories, query) {
    const over = await repositories.invoices.lockOverduePartlyPaid(query);
    await applyEventToAll(deps, repositories, over, { type: 'ttl_passed', at: query.now });
    await strand(
      repositories,
      over.map(({ id }) => id),
    );
    return over.length;
  },
});

/**
 * Those of a merchant beside each other, because they share what may be locked. Among them those
 * come last that failed in the latest runs, so that the others are not kept from their turn.
 */
function inTurn(due: readonly DueInvoice[], failedIn: BoundedMap<string, number>): readonly DueInvoice[] {
  const failed = ({ id }: DueInvoice) => failedIn.get(id) ?? 0;
  return byMerchant(due).flatMap((own) => own.toSorted((a, b) => failed(a) - failed(b)));
}
