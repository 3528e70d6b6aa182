/** The checkout page of an invoice, rendered on the server. Merchant text enters as text only, links only when http(s). */
import QRCode from 'qrcode';
import type { Asset, AssetCatalog } from '../../../domain/asset.ts';
import { formatUnits } from '../../../domain/decimal.ts';
import { FIAT_DECIMALS, type FiatCurrency, minorDecimals } from '../../../domain/fiat.ts';
import { receivedUnits } from '../../../domain/invoice.ts';
import type { Invoice } from '../../../domain/invoice-record.ts';
import { dueFiatMicros } from '../../../domain/invoice-terms.ts';
import { paymentUri } from '../../../domain/payment-uri.ts';
import type { AddressParts } from '../../../ports/address-deriver.ts';
import { isWebLink } from '../fields.ts';
import { html, Markup } from './html.ts';
import { type Wording, wordingOf } from './status.ts';

export interface CheckoutView {
  /** Path of the checkout's own addresses, as the customer's browser sees it. */
  readonly home: string;
  /** Live state read before the invoice was (ports/checkout-queries.ts). */
  readonly state: string;
  readonly invoice: Invoice;
  readonly catalog: AssetCatalog;
  /** Of the invoice's address, where it has some (XRP). */
  readonly parts: AddressParts | null;
  /** What the customer may choose from. */
  readonly choices: readonly Asset[];
  readonly now: Date;
  /** Why the last choice was refused. */
  readonly problem: string | null;
}

export async function invoicePage(view: CheckoutView): Promise<string> {
  const { invoice, catalog, now } = view;
  const wording = wordingOf(invoice, now);
  const asset = invoice.price === null ? null : catalog.require(invoice.price.asset);
  const body = html`<main data-status="${view.home}/${invoice.externalId}/status" data-state="${view.state}" data-open="${String(wording.open)}">
${invoice.sandbox ? html`<p class="banner"><b>Test invoice.</b> Do not send real money: it would be lost.</p>` : null}
<div class="card">
<h1>${invoice.title ?? 'Payment'}</h1>
${invoice.description === null ? null : html`<p class="description">${invoice.description}</p>`}
${price(invoice, asset)}
${status(invoice, wording, now)}
${view.problem === null ? null : html`<p class="status bad" role="alert"><span>${view.problem}</span></p>`}
${wording.payable && asset !== null && invoice.addressTo !== null ? await payment(view, asset, invoice.addressTo) : null}
${wording.payable ? choices(view) : null}
${links(invoice, wording)}
</div>
<footer>Secured by Quittance</footer>
</main>`;
  return document({ home: view.home, title: invoice.title ?? 'Payment', body, refreshes: wording.open });
}

/** A page that only says something: no such invoice, too many requests. */
export function messagePage(home: string, title: string, text: string): string {
  const body = html`<main><div class="card"><h1>${title}</h1><p class="description">${text}</p></div></main>`;
  return document({ home, title, body, refreshes: false });
}

function document(content: { home: string; title: string; body: Markup; refreshes: boolean }): string {
  const { home, title, body } = content;
  const refresh = content.refreshes
    ? html`<noscript><meta http-equiv="refresh" content="30"></noscript>`
    : null;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${home}/assets/checkout.css">
${refresh}
</head>
<body>
${body}
<script type="module" src="${home}/assets/checkout.js"></script>
</body>
</html>
`.text;
}

function price(invoice: Invoice, asset: Asset | null): Markup {
  const fiat = fiatText(dueFiatMicros(invoice), invoice.fiatCurrency);
  if (asset === null || invoice.price === null) return html`<p class="price">${fiat}</p>`;
  const due = formatUnits(invoice.price.dueUnits, asset.decimals);
  return html`<p class="price">${due} ${asset.symbol} <small>${fiat} · ${chainTitle(asset)}</small></p>`;
}

function status(invoice: Invoice, wording: Wording, now: Date): Markup {
  const leftSeconds = Math.max(0, Math.floor((invoice.expiresAt.getTime() - now.getTime()) / 1000));
  const countdown = wording.payable
    ? html` Time left: <time data-left="${String(leftSeconds)}">until ${invoice.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>.`
    : null;
  return html`<div class="status ${wording.tone}" role="status"><div><strong>${wording.title}</strong><span>${wording.text}${countdown}</span></div></div>`;
}

async function payment({ invoice, parts }: CheckoutView, asset: Asset, address: string): Promise<Markup> {
  const due = invoice.price?.dueUnits ?? 0n;
  const received = receivedUnits(invoice.funds);
  const missing = due > received ? due - received : due;
  const amount = formatUnits(missing, asset.decimals);
  const uri = paymentUri(asset, { address, units: missing, parts });
  const qr = await QRCode.toString(uri, { type: 'svg', margin: 1, errorCorrectionLevel: 'M' });
  return html`<div class="qr" role="img" aria-label="QR code of the payment">${new Markup(qr)}</div>
${
  received === 0n
    ? null
    : html`<p class="hint">Received so far: <b>${formatUnits(received, asset.decimals)} ${asset.symbol}</b></p>`
}
<div class="field"><b>${received === 0n ? 'Send exactly' : 'Still to send'}</b><div class="value"><code>${amount} ${asset.symbol}</code>${copy(amount)}</div></div>
${parts === null || parts.tag === null ? field(`To this address on ${chainTitle(asset)}`, address) : taggedFields(asset, address, parts)}
<p class="hint">Send only <b>${asset.symbol}</b> on <b>${chainTitle(asset)}</b>. Anything else may be lost.</p>`;
}

function field(label: string, value: string): Markup {
  return html`<div class="field"><b>${label}</b><div class="value"><code>${value}</code>${copy(value)}</div></div>`;
}

/** An account and a tag, since many wallets ask for both, and the address that holds them for those that know it. */
function taggedFields(asset: Asset, address: string, { account, tag }: AddressParts): Markup {
  return html`${field(`To this account on ${chainTitle(asset)}`, account)}
${field('With this destination tag', String(tag))}
<p class="hint">Without the tag your payment cannot be recognized.</p>
${field('Or, instead of both, to this X-address', address)}`;
}

function copy(text: string): Markup {
  return html`<button type="button" class="copy" data-copy="${text}" hidden>Copy</button>`;
}

/** One button per asset, until one is chosen. */
function choices(view: CheckoutView): Markup | null {
  const { invoice } = view;
  if (invoice.price !== null) return null;
  if (view.choices.length === 0) {
    return html`<p class="hint">No currency is available right now. Please try again later, or contact the merchant.</p>`;
  }
  return html`<form method="post" action="${view.home}/${invoice.externalId}/currency"><ul class="choices">${view.choices.map(
    (asset) =>
      html`<li><button name="asset" value="${asset.key}"><b>${asset.symbol}</b><span>${chainTitle(asset)}</span></button></li>`,
  )}</ul></form>`;
}

function links(invoice: Invoice, wording: Wording): Markup | null {
  const [url, text, style] =
    wording.leads === 'paid'
      ? [invoice.onPaidUrl, 'Back to the merchant', 'button main']
      : wording.leads === 'cancel'
        ? [invoice.onCancelUrl, 'Cancel and go back', 'button']
        : [null, '', ''];
  if (url === null || !isWebLink(url)) return null;
  return html`<a class="${style}" href="${url}" rel="noopener noreferrer">${text}</a>`;
}

function fiatText(micros: bigint, currency: FiatCurrency): string {
  const [units = '0', fraction = ''] = formatUnits(micros, FIAT_DECIMALS).split('.');
  const decimals = minorDecimals(currency);
  return `${decimals === 0 ? units : `${units}.${fraction.padEnd(decimals, '0')}`} ${currency}`;
}

const CHAIN_TITLES: Readonly<Record<string, string>> = {
  bitcoincash: 'Bitcoin Cash',
  bsc: 'BNB Smart Chain',
  ton: 'TON',
  xrp: 'XRP Ledger',
  avalanche: 'Avalanche C-Chain',
};

function chainTitle(asset: Asset): string {
  return CHAIN_TITLES[asset.chain] ?? asset.chain.charAt(0).toUpperCase() + asset.chain.slice(1);
}
