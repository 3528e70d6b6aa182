/** The merchants' events in memory, in the order of their dense numbers. */

import { bodyOf } from '../../../../src/adapters/postgres/webhooks/stored-body.ts';
import type { MerchantEvent, Queries, Scope } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byNumber } from '../store/orders.ts';

type DeliveryRow = NonNullable<ReturnType<MemoryStore['tables']['webhookDeliveries']['find']>>;
export type StoredEvent = DeliveryRow & { readonly eventSeq: bigint; readonly eventAt: Date };

/** After the number `after`, in order. */
export function eventsOf(
  { tables }: MemoryStore,
  { merchantId, sandbox }: Scope,
  after: number,
): StoredEvent[] {
  const events: StoredEvent[] = [];
  const last = BigInt(after);
  for (const delivery of tables.webhookDeliveries.by('merchantId', merchantId))
    if (delivery.sandbox === sandbox && isEvent(delivery) && delivery.eventSeq > last) events.push(delivery);
  return events.sort((a, b) => byNumber(a.eventSeq, b.eventSeq));
}

function isEvent(delivery: DeliveryRow): delivery is StoredEvent {
  return delivery.eventAt !== null && delivery.eventSeq !== null;
}

export function eventsAfter(
  store: MemoryStore,
  scope: Scope,
  { after, limit }: Parameters<Queries['events']>[1],
): Awaited<ReturnType<Queries['events']>> {
  const counter = store.tables.counters.find(scope.merchantId, scope.sandbox, 'events');
  if (counter === undefined) return { events: [], last: 0 };
  return { events: eventsOf(store, scope, after).slice(0, limit).map(told), last: Number(counter.value) };
}

function told(event: StoredEvent): MerchantEvent {
  const { eventSeq, eventAt } = event;
  return { seq: Number(eventSeq), type: typeOf(event), createdAt: eventAt, body: bodyOf(event, eventSeq) };
}

/** The body of a payout or refund names its event. */
export function typeOf({ payoutId, toldEvent, toldStatus }: DeliveryRow): string {
  return toldEvent ?? `${payoutId === null ? 'invoice' : 'payout'}.${toldStatus}`;
}
