/**
 * Applies events to a locked invoice: saves the state, and an event for every change that merchants
 * see.
 */

import { changedAt } from '../../domain/chains/last-change.ts';
import type { InvoiceState } from '../../domain/invoices/invoice.ts';
import { decide } from '../../domain/invoices/invoice.ts';
import type { InvoiceEvent } from '../../domain/invoices/invoice-event.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { NewDelivery } from '../../ports/webhooks/webhook-outbox.ts';
import type { AppDependencies } from '../dependencies.ts';
import { queueMail } from '../mails/queue-mail.ts';
import { addressParts } from './addresses/address-parts.ts';
import { presentInvoice } from './present-invoice.ts';
import { providerInvoice } from './provider-invoice.ts';

export type EventNeeds = Pick<
  AppDependencies,
  'clock' | 'ids' | 'catalog' | 'checkoutUrl' | 'sandboxDerivers' | 'rateBook' | 'webhookFormats'
>;

/** The invoice must be locked by this transaction. Returns its new state. */
export async function applyEvents(
  deps: EventNeeds,
  repositories: Repositories,
  invoice: Invoice,
  events: readonly InvoiceEvent[],
): Promise<Invoice> {
  let current = invoice;
  const toTell: Invoice[] = [];
  for (const event of events) {
    const decision = decide(current, event);
    if (decision.next !== current) current = changedBy(deps, current, decision.next);
    if (decision.changed && decision.notify) toTell.push(current);
  }
  await repositories.invoices.save(current);
  for (const snapshot of toTell) {
    await enqueueSnapshot(deps, repositories, snapshot, {
      invoiceVersion: snapshot.version,
      notifyUrl: null,
    });
    if (isComplete(snapshot)) await queueMail(deps, repositories, snapshot, { kind: 'receipt' });
  }
  return current;
}

/** Its payment is complete: there is a receipt. */
const isComplete = ({ status, billingType }: Invoice): boolean =>
  status === 'success' || status === 'paid_over' || (status === 'partially_paid' && billingType === 'VARY');

/**
 * Applies one event to many invoices, all locked by this transaction, in a few statements. Returns
 * their new states.
 */
export async function applyEventToAll(
  deps: EventNeeds,
  repositories: Repositories,
  invoices: readonly Invoice[],
  event: InvoiceEvent,
): Promise<readonly Invoice[]> {
  const decided = invoices.map((invoice) => ({ invoice, decision: decide(invoice, event) }));
  const changed = decided.flatMap(({ invoice, decision }) =>
    decision.changed ? [{ next: changedBy(deps, invoice, decision.next), notify: decision.notify }] : [],
  );
  await repositories.invoices.saveAll(changed.map(({ next }) => next));
  const toTell = changed.flatMap(({ next, notify }) => (notify ? [next] : []));
  const urls = await destinations(repositories, toTell);
  for (const invoice of toTell) {
    const url = urls(invoice);
    await repositories.webhooks.enqueue(deliveryOf(deps, invoice, { url, invoiceVersion: invoice.version }));
  }
  return decided.map(({ invoice, decision }) => ({ ...invoice, ...decision.next }));
}

/** Uses the time of this transaction, which may be long after the payment was seen. */
function changedBy({ clock }: EventNeeds, invoice: Invoice, next: InvoiceState): Invoice {
  return { ...invoice, ...next, updatedAt: changedAt(invoice, clock.now()) };
}

/**
 * Queues a webhook of the invoice's present state: for a transition (`invoiceVersion`), or once
 * more. The destination is `notifyUrl`, else the invoice's own, else the merchant's callback_url
 * (specification, "Delivery" 1). With none, nothing is sent, and the merchant reads a transition in
 * the list of events.
 */
export async function enqueueSnapshot(
  deps: EventNeeds,
  repositories: Repositories,
  invoice: Invoice,
  options: { invoiceVersion: number | null; notifyUrl: string | null; delaySeconds?: number },
): Promise<{ deliveryId: string; url: string } | null> {
  const { invoiceVersion, notifyUrl, delaySeconds } = options;
  const own = notifyUrl ?? invoice.notifyUrl;
  const { merchantId } = invoice;
  const url = own ?? (await repositories.merchants.callbackUrls([merchantId])).get(merchantId) ?? null;
  if (url === null && invoiceVersion === null) return null;
  const delivery = deliveryOf(deps, invoice, { url, invoiceVersion, delaySeconds: delaySeconds ?? 0 });
  await repositories.webhooks.enqueue(delivery);
  return url === null ? null : { deliveryId: delivery.id, url };
}

/**
 * Queues a webhook of the present state of many invoices once more, all locked by this transaction.
 * Returns those that have a destination: the others are left out.
 */
export async function enqueueSnapshots(
  deps: EventNeeds,
  repositories: Repositories,
  invoices: readonly Invoice[],
): Promise<readonly Invoice[]> {
  const urls = await destinations(repositories, invoices);
  const reached = invoices.filter((invoice) => urls(invoice) !== null);
  for (const invoice of reached)
    await repositories.webhooks.enqueue(
      deliveryOf(deps, invoice, { url: urls(invoice), invoiceVersion: null }),
    );
  return reached;
}

/** Where each of them sends its webhooks, read at once; null: nowhere. */
async function destinations(
  { merchants }: Repositories,
  invoices: readonly Invoice[],
): Promise<(invoice: Invoice) => string | null> {
  const withoutUrl = invoices.filter(({ notifyUrl }) => notifyUrl === null);
  const callbackUrls = await merchants.callbackUrls([
    ...new Set(withoutUrl.map(({ merchantId }) => merchantId)),
  ]);
  return ({ notifyUrl, merchantId }) => notifyUrl ?? callbackUrls.get(merchantId) ?? null;
}

function deliveryOf(
  deps: EventNeeds,
  invoice: Invoice,
  given: { url: string | null; invoiceVersion: number | null; delaySeconds?: number },
): NewDelivery {
  const { url, invoiceVersion, delaySeconds = 0 } = given;
  const now = deps.clock.now();
  const id = deps.ids.id();
  return {
    id,
    invoiceId: invoice.id,
    payoutId: null,
    merchantId: invoice.merchantId,
    sandbox: invoice.sandbox,
    invoiceVersion,
    url,
    body: webhookBody(deps, invoice),
    foreign: foreignBody(deps, invoice, id),
    dueAt: new Date(now.getTime() + delaySeconds * 1000),
    eventAt: invoiceVersion === null ? null : now,
  };
}

/** The snapshot as text, without its number in the list of events. */
export function webhookBody(deps: EventNeeds, invoice: Invoice): string {
  const { catalog, checkoutUrl } = deps;
  const partsOf = addressParts(deps);
  const view = presentInvoice(invoice, { catalog, checkoutUrl, partsOf, showExternalId: true });
  return JSON.stringify(invoice.sandbox ? { ...view, sandbox: true } : view);
}

/** The snapshot in the format of the merchant's former provider; null for the native format. */
export function foreignBody(deps: EventNeeds, invoice: Invoice, deliveryId: string): NewDelivery['foreign'] {
  const format = invoice.webhookFormat;
  if (format === 'native_v2') return null;
  return { format, body: deps.webhookFormats.encode(format, providerInvoice(deps, invoice, deliveryId)) };
}
