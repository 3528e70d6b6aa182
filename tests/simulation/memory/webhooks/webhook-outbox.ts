/**
 * Webhooks and events in memory, written at the end of their transaction as
 * src/adapters/postgres/webhooks/webhook-outbox.ts does: all of them by what was there before.
 */
import { toldIn } from '../../../../src/adapters/postgres/webhooks/stored-body.ts';
import { destinationOf } from '../../../../src/domain/webhooks/webhook-url.ts';
import type { NewDelivery, WebhookOutbox } from '../../../../src/ports/webhooks/webhook-outbox.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { later } from '../store/orders.ts';
import { eventsToTellAgain, givenUp, queueAgain } from './events-again.ts';

type DeliveryRow = NonNullable<ReturnType<MemoryStore['tables']['webhookDeliveries']['find']>>;

export function webhookOutbox(store: MemoryStore): WebhookOutbox {
  const owner = {};
  const begin = (): NewDelivery[] => {
    const kept: NewDelivery[] = [];
    store.beforeCommit(() => write(store, kept));
    return kept;
  };
  return {
    enqueue: async (delivery) => void store.keptInTransaction(owner, begin).push(delivery),
    toTellAgain: async (scope, wanted, most) => eventsToTellAgain(store, scope, wanted, most),
    givenUp: async (scope, of) => givenUp(store, scope, of),
    tellAgain: async (deliveries, dueAt) => queueAgain(store, deliveries, dueAt),
  };
}

function write(store: MemoryStore, deliveries: readonly NewDelivery[]): void {
  const { webhookDeliveries, webhookQueue } = store.tables;
  const given = deliveries.filter((delivery) => !isTold(store, delivery));
  // Replays repeat a number from before this transaction.
  const repeated = given.map((delivery) =>
    delivery.eventAt === null ? lastNumberOf(store, delivery.invoiceId) : null,
  );
  const numbers = takeNumbers(store, given);
  for (const [place, delivery] of given.entries()) {
    const { seq, at } = numbers[place] ?? { seq: repeated[place] ?? null, at: null };
    const { foreign, ...row } = delivery;
    webhookDeliveries.insert({
      ...row,
      body: null,
      packedBody: delivery.body,
      ...toldIn(delivery.body),
      format: foreign?.format ?? 'native_v2',
      foreignBody: foreign?.body ?? null,
      eventSeq: seq,
      eventAt: at,
    });
  }
  for (const { id: deliveryId, merchantId, sandbox, url, dueAt } of given) {
    if (url === null) continue;
    const destination = destinationOf(url);
    webhookQueue.insert({ deliveryId, merchantId, sandbox, destination, dueAt, attempts: 0 });
  }
}

interface Numbered {
  readonly seq: bigint;
  readonly at: Date;
}

/** The number of each event, and its time; null for replays. */
function takeNumbers({ tables }: MemoryStore, given: readonly NewDelivery[]): (Numbered | null)[] {
  return given.map(({ merchantId, sandbox, eventAt }) => {
    if (eventAt === null) return null;
    const counter = tables.counters.find(merchantId, sandbox, 'events') ?? {
      ...{ merchantId, sandbox, stream: 'events' as const, value: 0n, removed: 0n },
      // A counter that is opened here begins with the latest time of them all.
      lastAt: latestOf(given, merchantId, sandbox, eventAt),
    };
    const next = { value: counter.value + 1n, lastAt: later(counter.lastAt, eventAt) };
    tables.counters.insertOrUpdate({ ...counter, ...next }, () => next);
    return { seq: next.value, at: next.lastAt };
  });
}

function latestOf(given: readonly NewDelivery[], merchantId: string, sandbox: boolean, first: Date): Date {
  let last = first;
  for (const other of given)
    if (other.eventAt !== null && other.merchantId === merchantId && other.sandbox === sandbox)
      last = later(last, other.eventAt);
  return last;
}

/** The same transition of the invoice has its webhook. */
function isTold(store: MemoryStore, { invoiceId, invoiceVersion }: NewDelivery): boolean {
  if (invoiceVersion === null) return false;
  return ofInvoice(store, invoiceId).some((told) => told.invoiceVersion === invoiceVersion);
}

function lastNumberOf(store: MemoryStore, invoiceId: string | null): bigint | null {
  let last: DeliveryRow | undefined;
  for (const told of ofInvoice(store, invoiceId))
    if (told.invoiceVersion !== null && told.invoiceVersion > (last?.invoiceVersion ?? -1)) last = told;
  return last?.eventSeq ?? null;
}

function ofInvoice({ tables }: MemoryStore, invoiceId: string | null): readonly DeliveryRow[] {
  return invoiceId === null ? [] : tables.webhookDeliveries.by('invoiceId', invoiceId);
}
