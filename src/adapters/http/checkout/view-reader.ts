/** Reads what a page shows, in the order that loses no change: the live state before the invoice. */
import type { Application } from '../../../app/application.ts';
import type { Invoice } from '../../../domain/invoice-record.ts';
import type { AddressParts } from '../../../ports/address-deriver.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Markup } from './html.ts';
import type { CheckoutSources } from './sources.ts';
import { stageOf } from './stage.ts';
import type { CheckoutView, PageFrame, ShownPayment } from './view.ts';

interface Reading {
  readonly application: Application;
  readonly clock: Clock;
  readonly sources: CheckoutSources;
}

/** Null for an id that nobody has. */
type ReadView = (
  frame: PageFrame,
  externalId: string,
  problem: Markup | null,
) => Promise<CheckoutView | null>;

export function viewReader({ application, clock, sources }: Reading): ReadView {
  const { catalog } = application;

  async function paymentsOf(invoice: Invoice): Promise<readonly ShownPayment[]> {
    if (invoice.price === null) return [];
    const payments = await sources.payments(invoice.id);
    return payments.map((payment) => ({
      ...payment,
      confirmationsNeeded: sources.confirmations(payment.chain),
      explorer: invoice.sandbox ? null : sources.explorer(payment.chain, payment.txid),
    }));
  }

  function partsOf({ price, addressTo }: Invoice): AddressParts | null {
    if (price === null || addressTo === null) return null;
    return application.partsOf(catalog.require(price.asset).family, addressTo);
  }

  return async (frame, externalId, problem) => {
    const state = await sources.liveState(externalId);
    const invoice = state === null ? null : await application.queries.invoiceByExternalId(externalId);
    if (state === null || invoice === null) return null;
    const now = clock.now();
    const [payments, brand] = await Promise.all([paymentsOf(invoice), sources.brand(invoice.merchantId)]);
    return {
      ...frame,
      ...{ invoice, state, catalog, payments, brand, now, problem },
      stage: stageOf(invoice, now),
      parts: partsOf(invoice),
      choices: application
        .choosableAssets(invoice)
        .map((asset) => ({ asset, feeMicroUsd: sources.feeHint(asset) })),
    };
  };
}
