/** Applies events to a locked invoice: saves the state and puts a webhook row beside every change that merchants are told of. */
import type { InvoiceEvent } from '../domain/invoice.ts';
import { decide } from '../domain/invoice.ts';
import type { Invoice } from '../domain/invoice-record.ts';
import type { Repositories } from '../ports/repositories.ts';
import { addressParts } from './address-parts.ts';
import type { AppDependencies } from './dependencies.ts';
import { presentInvoice } from './present-invoice.ts';

export type EventNeeds = Pick<
  AppDependencies,
  'clock' | 'ids' | 'catalog' | 'checkoutUrl' | 'sandboxDerivers'
>;

/** The invoice must be locked by this transaction. Answers its new self. */
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
    current = { ...current, ...decision.next };
    if (decision.changed && decision.notify) toTell.push(current);
  }
  await repositories.invoices.save(current);
  for (const snapshot of toTell) {
    await enqueueSnapshot(deps, repositories, snapshot, {
      invoiceVersion: snapshot.version,
      notifyUrl: null,
    });
  }
  return current;
}

/**
 * Writes a webhook row with the invoice as it stands. The destination is `notifyUrl`, else the invoice's own, else the
 * merchant's callback_url (specification, "Delivery" 1); null when there is none, and then nothing is queued.
 */
export async function enqueueSnapshot(
  deps: EventNeeds,
  repositories: Repositories,
  invoice: Invoice,
  options: { invoiceVersion: number | null; notifyUrl: string | null; delaySeconds?: number },
): Promise<{ deliveryId: string; url: string } | null> {
  const own = options.notifyUrl ?? invoice.notifyUrl;
  const url = own ?? (await repositories.merchants.find(invoice.merchantId))?.callbackUrl ?? null;
  if (url === null) return null;
  const now = deps.clock.now();
  const deliveryId = deps.ids.id();
  await repositories.webhooks.enqueue({
    id: deliveryId,
    invoiceId: invoice.id,
    merchantId: invoice.merchantId,
    sandbox: invoice.sandbox,
    invoiceVersion: options.invoiceVersion,
    url,
    body: webhookBody(deps, invoice),
    dueAt: new Date(now.getTime() + (options.delaySeconds ?? 0) * 1000),
  });
  return { deliveryId, url };
}

/** The snapshot's exact text: signed, stored and sent as it is. */
function webhookBody(deps: EventNeeds, invoice: Invoice): string {
  const { catalog, checkoutUrl } = deps;
  const partsOf = addressParts(deps);
  const view = presentInvoice(invoice, { catalog, checkoutUrl, partsOf, showExternalId: true });
  return JSON.stringify(invoice.sandbox ? { ...view, sandbox: true } : view);
}
