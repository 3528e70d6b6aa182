/**
 * What the invoice is about: title and amount at the top of the page; below, what the amount is
 * made of, what was received, the rate, and the reference of the order.
 */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { type InvoicePrice, paidFiatMicros, receivedUnits } from '../../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../../domain/invoices/invoice-record.ts';
import { DEFERRAL_MICRO_USD } from '../../../../domain/invoices/invoice-terms.ts';
import {
  type ItemisedPrice,
  invoiceRateE12,
  itemisedPrice,
  RATE_SHOWN_DECIMALS,
  surplusUnits,
} from '../../../../domain/invoices/itemised-price.ts';
import { networkName } from '../display-names.ts';
import { merchantText } from '../merchant-text.ts';
import type { CheckoutView } from '../view.ts';
import { html, type Markup } from './html.ts';
import { assetMark } from './marks.ts';
import { until } from './page-times.ts';

export function summaryOf(view: CheckoutView, title: Markup): Markup {
  const { invoice, stage, tongue, catalog } = view;
  const isTopUp = invoice.billingType === 'VARY';
  const label = tongue.say(isTopUp && stage.amount === 'amountDue' ? 'amountSuggested' : stage.amount);
  const asset = invoice.price === null ? null : catalog.require(invoice.price.asset);
  return html`<section class="summary" aria-labelledby="title">
<h1 id="title">${title}</h1>
<div class="sum"><p class="label">${label}</p><p class="price">${tongue.fiat(shownMicros(invoice, stage), invoice.fiatCurrency)}</p></div>
${asset === null ? null : inAsset(view, invoice.price!, asset)}
${isTopUp && asset === null ? html`<p class="note">${tongue.say('amountAny', { least: tongue.fiat(DEFERRAL_MICRO_USD, 'USD') })}</p>` : null}
</section>`;
}

/** A paid top-up is worth what was paid; anything else what was due. */
function shownMicros(invoice: Invoice, { amount }: CheckoutView['stage']): bigint {
  const { fiatCurrency: currency, initialFiatMicros: initialMicros } = invoice;
  return invoice.billingType === 'VARY' && amount === 'amountSettled'
    ? paidFiatMicros(invoice, { currency, initialMicros })
    : itemisedPrice(invoice).totalMicros;
}

function inAsset({ tongue, stage }: CheckoutView, price: InvoicePrice, asset: Asset): Markup {
  return html`<p class="in-asset${stage.payable ? ' payable' : null}">${assetMark(asset)}<span><b>${tongue.amount(price.dueUnits, asset)}</b> <span class="on">${networkName(asset)}</span></span></p>`;
}

/** Null where there is nothing to tell. */
export function aboutOf(view: CheckoutView): Markup | null {
  const { invoice } = view;
  const lines = [...priceLines(view), ...receivedLines(view), ...orderLines(view)];
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

/** Only where the total differs from the order. */
function priceLines({ invoice, tongue }: CheckoutView): readonly Markup[] {
  const { orderMicros, modifierMicros, feeMicros, totalMicros }: ItemisedPrice = itemisedPrice(invoice);
  if (modifierMicros === 0n && feeMicros === 0n) return [];
  const fiat = (micros: bigint) => tongue.fiat(micros, invoice.fiatCurrency);
  return [
    line(tongue.say('itemOrder'), fiat(orderMicros)),
    ...(modifierMicros === 0n
      ? []
      : [line(tongue.say(modifierMicros < 0n ? 'itemDiscount' : 'itemSurcharge'), fiat(modifierMicros))]),
    ...(feeMicros === 0n ? [] : [line(tongue.say('itemFee'), fiat(feeMicros))]),
    line(tongue.say('itemTotal'), fiat(totalMicros), 'total'),
  ];
}

/** While it is payable, the amounts stand beside the address. */
function receivedLines({ invoice, stage, tongue, catalog }: CheckoutView): readonly Markup[] {
  const received = receivedUnits(invoice.funds);
  if (invoice.price === null || stage.payable || received === 0n) return [];
  const asset = catalog.require(invoice.price.asset);
  const over = invoice.status === 'paid_over' ? surplusUnits(invoice) : 0n;
  return [
    line(tongue.say('amountPaid'), tongue.amount(received, asset)),
    ...(over === 0n ? [] : [line(tongue.say('amountOver'), tongue.amount(over, asset))]),
  ];
}

function orderLines({ invoice, tongue }: CheckoutView): readonly Markup[] {
  return invoice.extra === null ? [] : [line(tongue.say('orderReference'), merchantText(invoice.extra))];
}

/** Held until the invoice expires; later the rate that it had. */
function rateOf({ invoice, stage, tongue, catalog }: CheckoutView): Markup | null {
  if (invoice.price === null) return null;
  const asset = catalog.require(invoice.price.asset);
  const price = tongue.rate(
    invoiceRateE12(invoice, invoice.price, asset),
    RATE_SHOWN_DECIMALS,
    invoice.fiatCurrency,
  );
  const rate = `1 ${asset.symbol} = ${price}`;
  const shown = stage.payable
    ? tongue.say('rateHeld', { rate, until: until(invoice.expiresAt, tongue) })
    : html`${rate}`;
  return html`<p class="note rate">${shown}</p>`;
}
