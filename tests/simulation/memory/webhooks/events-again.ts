/** Replays of events in memory, as src/adapters/postgres/webhooks/events-again.ts finds them. */
import { destinationOf } from '../../../../src/domain/webhooks/webhook-url.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type {
  DeliveryAgain,
  EventsAgain,
  WantedAgain,
} from '../../../../src/ports/webhooks/webhook-outbox.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText, byTime } from '../store/orders.ts';
import { eventsOf, type StoredEvent } from './events.ts';

/** What an event reports, if it is no old news, and the merchant's present URL. */
interface Standing {
  readonly status: string;
  readonly url: string | null;
}

export function eventsToTellAgain(
  store: MemoryStore,
  scope: Scope,
  wanted: WantedAgain,
  most: number,
): EventsAgain {
  const { after, from, to } = wanted;
  const looked = eventsOf(store, scope, after)
    .filter(({ eventAt }) => from === null || eventAt >= from)
    .slice(0, most);
  const within = looked.filter(({ eventAt }) => to === null || eventAt <= to);
  return {
    deliveries: within.flatMap((event) => {
      const url = urlAgain(store, event, wanted);
      return url === null ? [] : [{ id: event.id, url }];
    }),
    last: Number(within.at(-1)?.eventSeq ?? after),
    more: within.length === most,
  };
}

function urlAgain(
  store: MemoryStore,
  event: StoredEvent,
  { statuses, undelivered }: WantedAgain,
): string | null {
  const queued = store.tables.webhookQueue.find(event.id);
  const mayGo = queued === undefined ? !(undelivered && event.url !== null) : queued.deadAt !== null;
  if (!mayGo) return null;
  const stands = event.payoutId === null ? invoiceOf(store, event) : payoutOf(store, event);
  if (stands === null || statuses?.includes(stands.status) === false) return null;
  return stands.url;
}

/** An invoice's event is current while no change followed it. */
function invoiceOf(
  { tables }: MemoryStore,
  { invoiceId, invoiceVersion, url }: StoredEvent,
): Standing | null {
  const invoice = tables.invoices.find(invoiceId);
  if (invoice === undefined || invoice.version !== invoiceVersion) return null;
  const merchant = tables.merchants.find(invoice.merchantId);
  return { status: invoice.status, url: invoice.notifyUrl ?? merchant?.callbackUrl ?? url };
}

/** A payout's while no event did. */
function payoutOf(
  { tables }: MemoryStore,
  { payoutId, eventSeq, url, toldStatus }: StoredEvent,
): Standing | null {
  const payout = tables.payouts.find(payoutId);
  const merchant = payout && tables.merchants.find(payout.merchantId);
  if (payout === undefined || merchant?.payoutWebhooks !== true) return null;
  if (payout.status !== toldStatus) return null;
  const isOld = tables.webhookDeliveries
    .by('payoutId', payoutId)
    .some((later) => later.eventSeq !== null && later.eventSeq > eventSeq);
  return isOld ? null : { status: payout.status, url: merchant.callbackUrl ?? url };
}

export function givenUp(
  { tables }: MemoryStore,
  { merchantId, sandbox }: Scope,
  { id, most }: { readonly id: string | null; readonly most: number },
): readonly DeliveryAgain[] {
  const dead: { readonly id: string; readonly deadAt: Date; readonly url: string }[] = [];
  for (const queued of tables.webhookQueue.all()) {
    const { deliveryId, deadAt } = queued;
    if (deadAt === null || queued.merchantId !== merchantId || queued.sandbox !== sandbox) continue;
    if (id !== null && deliveryId !== id) continue;
    const delivery = tables.webhookDeliveries.find(deliveryId);
    const merchant = tables.merchants.find(merchantId);
    if (delivery === undefined || merchant === undefined) continue;
    const invoice = delivery.invoiceId === null ? undefined : tables.invoices.find(delivery.invoiceId);
    // What is in the queue has a URL.
    const url = invoice?.notifyUrl ?? merchant.callbackUrl ?? delivery.url ?? '';
    dead.push({ id: deliveryId, deadAt, url });
  }
  return dead
    .sort((a, b) => byTime(a.deadAt, b.deadAt) || byText(a.id, b.id))
    .slice(0, most)
    .map((given) => ({ id: given.id, url: given.url }));
}

/**
 * Waiting deliveries do not change. Dead ones start again; a delivery to another URL belongs to
 * that destination from now on.
 */
export function queueAgain(
  { tables }: MemoryStore,
  deliveries: readonly DeliveryAgain[],
  dueAt: Date,
): number {
  const { webhookDeliveries, webhookQueue } = tables;
  let count = 0;
  for (const { id, url } of deliveries.toSorted((a, b) => byText(a.id, b.id))) {
    const delivery = webhookDeliveries.find(id);
    if (delivery === undefined) continue;
    const queued = webhookQueue.find(id);
    if (queued !== undefined && queued.deadAt === null) continue;
    const { merchantId, sandbox } = delivery;
    const again = { destination: destinationOf(url), dueAt, attempts: 0, deadAt: null };
    if (queued === undefined) webhookQueue.insert({ deliveryId: id, merchantId, sandbox, ...again });
    else webhookQueue.update(queued, again);
    if (delivery.url !== url) webhookDeliveries.update(delivery, { url });
    count += 1;
  }
  return count;
}
