/**
 * What the invoice is about: title and amount at the top of the page; below, what the amount is
 * made of, what was received, the rate, and the reference of the order.
 */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import type { InvoicePrice } from '../../../../domain/invoices/invoice.ts';
import { DEFERRAL_MICRO_USD } from '../../../../domain/invoices/invoice-terms.ts';
import { itemisedPrice } from '../../../../domain/invoices/itemised-price.ts';
import { networkName } from '../display-names.ts';
import { merchantText } from '../merchant-text.ts';
import type { CheckoutView } from '../view.ts';
import { html, type Markup } from './html.ts';
import { assetMark } from './marks.ts';
import { until } from './page-times.ts';
import { priceLines, rateText, receivedLines, type SumLine, settledMicros } from './sum-lines.ts';

export function summaryOf(view: CheckoutView, title: Markup): Markup {
  const { invoice, stage, tongue, catalog } = view;
  const isTopUp = invoice.billingType === 'VARY';
  const label = tongue.say(isTopUp && stage.amount === 'amountDue' ? 'amountSuggested' : stage.amount);
  const asset = invoice.price === null ? null : catalog.require(invoice.price.asset);
  const micros =
    stage.amount === 'amountSettled' ? settledMicros(invoice) : itemisedPrice(invoice).totalMicros;
  return html`<section class="summary" aria-labelledby="title">
<h1 id="title">${title}</h1>
<div class="sum"><p class="label">${label}</p><p class="price">${tongue.fiat(micros, invoice.fiatCurrency)}</p></div>
${asset === null ? null : inAsset(view, invoice.price!, asset)}
${isTopUp && asset === null ? html`<p class="note">${tongue.say('amountAny', { least: tongue.fiat(DEFERRAL_MICRO_USD, 'USD') })}</p>` : null}
</section>`;
}

function inAsset({ tongue, stage }: CheckoutView, price: InvoicePrice, asset: Asset): Markup {
  return html`<p class="in-asset${stage.payable ? ' payable' : null}">${assetMark(asset)}<span><b>${tongue.amount(price.dueUnits, asset)}</b> <span class="on">${networkName(asset)}</span></span></p>`;
}

/** Null where there is nothing to tell. */
export function aboutOf(view: CheckoutView): Markup | null {
  const { invoice, tongue } = view;
  const lines = [
    ...priceLines(invoice, tongue).map(({ name, value }) =>
      line(tongue.say(name), value, name === 'itemTotal' ? 'total' : null),
    ),
    ...receivedOf(view).map(({ name, value }) => line(tongue.say(name), value)),
    ...orderLines(view),
  ];
  const rate = rateOf(view);
  const description =
    invoice.description === null
      ? null
      : html`<p class="description">${merchantText(invoice.description)}</p>`;
  if (lines.length === 0 && rate === null && description === null) return null;
  return html`<section class="about">${description}${lines.length === 0 ? null : html`<dl>${lines}</dl>`}${rate}</section>`;
}

function line(name: Markup, value: Markup | string, className: string | null = null): Markup {
  return html`<div${className === null ? null : html` class="${className}"`}><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** While it is payable, the amounts stand beside the address. */
function receivedOf({ invoice, stage, tongue, catalog }: CheckoutView): readonly SumLine[] {
  if (invoice.price === null || stage.payable) return [];
  return receivedLines(invoice, catalog.require(invoice.price.asset), tongue);
}

function orderLines({ invoice, tongue }: CheckoutView): readonly Markup[] {
  return invoice.extra === null ? [] : [line(tongue.say('orderReference'), merchantText(invoice.extra))];
}

/** Held until the invoice expires; later the rate that it had. */
function rateOf({ invoice, stage, tongue, catalog }: CheckoutView): Markup | null {
  if (invoice.price === null) return null;
  const rate = rateText(invoice, invoice.price, catalog.require(invoice.price.asset), tongue);
  const shown = stage.payable
    ? tongue.say('rateHeld', { rate, until: until(invoice.expiresAt, tongue) })
    : html`${rate}`;
  return html`<p class="note rate">${shown}</p>`;
}
