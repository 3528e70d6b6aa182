/** The receipt as a page to print, on A4 or on a roll of 80 mm. */
import { merchantText } from '../merchant-text.ts';
import { html, type Markup } from '../page/html.ts';
import { document } from '../page/page-document.ts';
import { type CheckoutView, pagePath } from '../view.ts';
import type { Receipt, ReceiptLine } from './receipt.ts';
import { PAPERS, type Paper, receiptPath } from './receipt-path.ts';

const PAPER_NAMES: Readonly<Record<Paper, string>> = { a4: 'A4', roll: '80 mm' };

/** `hasPdf`: whether the PDF's font has all of its letters. */
export function receiptPage(view: CheckoutView, receipt: Receipt, paper: Paper, hasPdf: boolean): string {
  const { home, invoice, tongue } = view;
  const path = `${home}/${invoice.externalId}/receipt`;
  const main = html`<main class="${paper}">
<nav class="tools"><a class="look" href="${pagePath(home, invoice.externalId, view.switched)}">${tongue.say('payment')}</a>${PAPERS.map(
    (each) =>
      html`<a class="look" href="${receiptPath(view, each)}"${each === paper ? html` aria-current="true"` : null}><bdi>${PAPER_NAMES[each]}</bdi></a>`,
  )}${hasPdf ? html`<a class="button" href="${receiptPath(view, paper, '.pdf')}" download>${tongue.say('receiptPdf')}</a>` : null}<button type="button" class="button main" data-print hidden>${tongue.say('receiptPrint')}</button></nav>
<article class="paper">${sheet(receipt)}</article>
</main>`;
  return document(view, {
    title: html`${receipt.heading} · ${invoice.id}`,
    main,
    brand: view.brand,
    path,
    style: view.assets.receipt,
  });
}

function sheet(receipt: Receipt): Markup {
  const { warning, merchant, subject, description } = receipt;
  return html`${warning === null ? null : html`<p class="test">${warning}</p>`}
${merchant === null ? null : html`<p class="from">${merchantText(merchant)}</p>`}
<h1>${receipt.heading}</h1>
${lines(receipt.facts)}
${subject === null ? null : html`<h2>${merchantText(subject)}</h2>`}
${description === null ? null : html`<p class="description">${merchantText(description)}</p>`}
${lines(receipt.sums)}
${lines([receipt.total], 'total')}
${lines(receipt.received)}
<h2>${receipt.transactionsHeading}</h2>
<ul>${receipt.transactions.map(
    ({ amount, network, txid }) =>
      html`<li><p>${amount} · ${network}</p><p class="txid"><code>${txid}</code></p></li>`,
  )}</ul>`;
}

function lines(of: readonly ReceiptLine[], className = 'lines'): Markup | null {
  if (of.length === 0) return null;
  return html`<dl class="${className}">${of.map(
    ({ name, value }) => html`<div><dt>${name}</dt><dd>${merchantText(value)}</dd></div>`,
  )}</dl>`;
}
