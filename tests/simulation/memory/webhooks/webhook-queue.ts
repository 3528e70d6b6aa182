/**
 * The dispatcher's side of the webhook outbox in memory, with the rules of
 * src/adapters/postgres/webhooks/webhook-queue.ts.
 */

import { isUniqueViolation } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import { bodyOf } from '../../../../src/adapters/postgres/webhooks/stored-body.ts';
import { storable } from '../../../../src/adapters/postgres/webhooks/webhook-queue.ts';
import type {
  AttemptOutcome,
  ClaimedDelivery,
  WebhookQueue,
} from '../../../../src/ports/webhooks/webhook-queue.ts';
import { signingKeysOf } from '../merchants/keys.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byTime, later } from '../store/orders.ts';
import { byDueTime, dueIn, dueLanes, isFree, isHeld, type QueueRow } from './webhook-lanes.ts';

type AttemptRow = NonNullable<ReturnType<MemoryStore['tables']['webhookAttempts']['find']>>;

/** Without `next` it belongs to no delivery. */
interface Outcome {
  readonly attempt: Omit<AttemptRow, 'seq'>;
  readonly next: AttemptOutcome['next'] | null;
}

interface Lease {
  readonly now: Date;
  readonly leaseSeconds: number;
}

export function webhookQueue(store: MemoryStore): WebhookQueue {
  const { webhookQueue: queue } = store.tables;

  async function record(outcomes: readonly Outcome[]): Promise<void> {
    if (outcomes.length === 0) return;
    try {
      await store.write(() => recordTogether(store, outcomes));
    } catch (error) {
      if (outcomes.length === 1) {
        // The batch is recorded again because its first outcome was unknown: it had been written.
        if (isUniqueViolation(error, 'webhook_attempts_pkey')) return;
        throw error;
      }
      const results = await Promise.allSettled(outcomes.map((outcome) => record([outcome])));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    }
  }

  return {
    dueLanes: async (request) => dueLanes(store, request),

    async claim({ lanes, ...lease }) {
      if (lanes.length === 0) return [];
      return store.write(() => {
        const free = new Set<QueueRow>();
        for (const lane of lanes)
          if (lane.trial || !isHeld(store, lane))
            for (const queued of dueIn(store, lane, lane.most, lease.now)) free.add(queued);
        return [...free].sort(byDueTime).map((queued) => claimed(store, queued, lease));
      });
    },

    claimOne: (deliveryId, lease) =>
      store.write(() => {
        const queued = queue.find(deliveryId);
        const isOpen = queued !== undefined && queued.deadAt === null && isFree(queued, lease.now);
        return isOpen ? claimed(store, queued, lease) : null;
      }),

    async renew(deliveries, until) {
      if (deliveries.length === 0) return;
      await store.write(() => {
        for (const { id, attempt } of deliveries) {
          const queued = queue.find(id);
          if (queued !== undefined && queued.attempts === attempt && queued.leasedUntil !== null)
            queue.update(queued, { leasedUntil: until });
        }
      });
    },

    record: (outcomes) => record(outcomes.map(outcomeOf)),

    giveUpHeldBack: ({ before, now, limit }) =>
      store.write(() => {
        const held = queue
          .where(
            (queued) =>
              queued.deadAt === null && queued.dueAt < before && isFree(queued, now) && isHeld(store, queued),
          )
          .sort(byDueTime)
          .slice(0, limit);
        for (const queued of held) queue.update(queued, { deadAt: now, leasedUntil: null });
        return held.length;
      }),

    logTest: ({ responseBody, ...attempt }) =>
      record([
        {
          attempt: {
            ...attempt,
            responseBody: storable(responseBody),
            ...{ deliveryId: null, invoiceId: null, attempt: 1 },
          },
          next: null,
        },
      ]),
  };
}

function claimed(store: MemoryStore, queued: QueueRow, { now, leaseSeconds }: Lease): ClaimedDelivery {
  const delivery = store.tables.webhookDeliveries.find(queued.deliveryId);
  if (delivery === undefined || delivery.url === null)
    throw new Error(`what was claimed, ${queued.deliveryId}, cannot be sent`);
  const { id, invoiceId, eventSeq, merchantId, sandbox, url, format, foreignBody } = delivery;
  const attempt = queued.attempts + 1;
  const leasedUntil = new Date(now.getTime() + leaseSeconds * 1_000);
  store.tables.webhookQueue.update(queued, { attempts: attempt, leasedUntil });
  return {
    ...{ id, invoiceId, merchantId, sandbox, url, format, attempt },
    eventSeq: eventSeq === null ? null : Number(eventSeq),
    destination: queued.destination,
    body: foreignBody ?? bodyOf(delivery, eventSeq),
    keys: signingKeysOf(store, delivery, now),
  };
}

function recordTogether(store: MemoryStore, outcomes: readonly Outcome[]): void {
  // Sorting keeps the order of those that were sent at the same time.
  for (const { attempt } of outcomes.toSorted((a, b) => byTime(a.attempt.sentAt, b.attempt.sentAt)))
    log(store, attempt);
  for (const outcome of outcomes) move(store, outcome);
}

/** An unknown merchant has no counter, and no log. */
function log({ tables }: MemoryStore, attempt: Outcome['attempt']): void {
  const counter = tables.counters.find(attempt.merchantId, attempt.sandbox, 'notifications');
  if (counter === undefined) return;
  const { value: seq } = tables.counters.update(counter, {
    value: counter.value + 1n,
    lastAt: later(counter.lastAt, attempt.sentAt),
  });
  check('webhook_attempts_id', /^[0-9a-f]{24}$/.test(attempt.id));
  check('webhook_attempts_numbers', attempt.attempt >= 1);
  tables.webhookAttempts.insert({ ...attempt, seq });
}

/** Only if it is still at this attempt: a lost lease has moved it to a further one. */
function move({ tables }: MemoryStore, { attempt, next }: Outcome): void {
  if (next === null || attempt.deliveryId === null) return;
  const queued = tables.webhookQueue.find(attempt.deliveryId);
  if (queued === undefined || queued.attempts !== attempt.attempt || queued.deadAt !== null) return;
  if (next.state === 'delivered') tables.webhookQueue.delete(queued);
  else
    tables.webhookQueue.update(queued, {
      dueAt: next.state === 'pending' ? next.dueAt : queued.dueAt,
      leasedUntil: null,
      deadAt: next.state === 'dead' ? attempt.sentAt : null,
    });
}

function outcomeOf({ attemptId, delivery, statusCode, responseBody, sentAt, next }: AttemptOutcome): Outcome {
  const { id: deliveryId, invoiceId, merchantId, sandbox, url, attempt } = delivery;
  return {
    attempt: {
      ...{ id: attemptId, deliveryId, invoiceId, merchantId, sandbox, url, statusCode, attempt, sentAt },
      responseBody: storable(responseBody),
    },
    next,
  };
}
