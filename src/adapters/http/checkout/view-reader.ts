/**
 * Reads what a page shows. The live state is read before the invoice, so that no change is lost.
 */
import type { Application } from '../../../app/application.ts';
import type { Asset } from '../../../domain/catalog/asset.ts';
import { FAMILY_ROWS } from '../../../domain/catalog/family.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { AddressParts } from '../../../ports/chains/address-deriver.ts';
import type { CheckoutFacts } from '../../../ports/checkout/checkout-queries.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import type { CheckoutSources } from './data.ts';
import type { Markup } from './page/html.ts';
import { type Stage, stageOf } from './status-view.ts';
import type { CheckoutView, PageFrame, ShownPayment } from './view.ts';

interface CheckoutReader {
  readonly application: Application;
  readonly clock: Clock;
  readonly sources: CheckoutSources;
}

const UNTOUCHED: CheckoutFacts = { arrivals: false, addressGone: false };
const NOWHERE = { payable: false, contact: true, text: 'noCurrency' } as const;

/** Null for an unknown id. */
export type ReadView = (
  frame: PageFrame,
  externalId: string,
  problem: Markup | null,
) => Promise<CheckoutView | null>;

export function viewReader({ application, clock, sources }: CheckoutReader): ReadView {
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

  function seenLate({ sandbox, price }: Invoice, stage: Stage): Asset | null {
    if (sandbox || price === null || !stage.open) return null;
    const asset = catalog.require(price.asset);
    return application.isSeenLate(asset) ? asset : null;
  }

  function walletNetwork({ sandbox, price }: Invoice, stage: Stage): string | null {
    if (sandbox || price === null || !stage.payable) return null;
    const { chain, family } = catalog.require(price.asset);
    return FAMILY_ROWS[family].browserWallets === null ? null : sources.walletNetwork(chain);
  }

  /** Read only where the page would show an address. */
  async function standingOf(invoice: Invoice, now: Date): Promise<CheckoutFacts> {
    if (invoice.price === null || !stageOf(invoice, now).payable) return UNTOUCHED;
    return application.queries.checkoutStanding(invoice.id);
  }

  return async (frame, externalId, problem) => {
    const state = await sources.liveState(externalId);
    const invoice = state === null ? null : await application.queries.invoiceByExternalId(externalId);
    if (state === null || invoice === null) return null;
    const now = clock.now();
    const [payments, brand, standing, refund] = await Promise.all([
      paymentsOf(invoice),
      sources.brand(invoice.merchantId),
      standingOf(invoice, now),
      // Nothing can be given back before a payment, or its time is over.
      stageOf(invoice, now).payable ? false : sources.refund(invoice.id),
    ]);
    const shown = ledBack(frame, standing.addressGone ? withoutAddress(invoice) : invoice);
    const stage = stageOf(shown, now);
    return {
      ...frame.spokenBy(brand),
      ...{ invoice: shown, state, catalog, payments, brand, refund, now, problem },
      // The rest cannot be sent anywhere. Only the merchant can help.
      stage: standing.addressGone && shown.price !== null ? { ...stage, ...NOWHERE } : stage,
      parts: partsOf(shown),
      chainId: shown.price === null ? null : sources.chainId(catalog.require(shown.price.asset).chain),
      walletNetwork: walletNetwork(shown, stage),
      seenLate: seenLate(shown, stage),
      choices: application
        .choosableAssets(invoice, standing)
        .map((asset) => ({ asset, feeMicros: sources.feeHint(asset, invoice.fiatCurrency) })),
    };
  };
}

/** From an invoice of a till to the till, in the browser that has opened it. */
function ledBack({ till }: PageFrame, invoice: Invoice): Invoice {
  const { paymentLinkId, onPaidUrl, onCancelUrl } = invoice;
  const url = paymentLinkId === null ? null : till(paymentLinkId);
  return { ...invoice, onPaidUrl: onPaidUrl ?? url, onCancelUrl: onCancelUrl ?? url };
}

/**
 * Money sent to the address would be lost or stolen. The customer chooses again, if there is a
 * choice.
 */
function withoutAddress(invoice: Invoice): Invoice {
  const price = invoice.status === 'created' ? null : invoice.price;
  return { ...invoice, price, addressTo: null };
}
