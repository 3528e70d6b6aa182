/**
 * The checkout page of an invoice, rendered on the server in every state. Merchants' texts are
 * escaped, and their links appear only when they are http(s).
 */
import type { Invoice } from '../../../../domain/invoices/invoice-record.ts';
import { CHECKOUT_OUTCOMES, outcomeRefusal } from '../../../../domain/invoices/invoice-simulation.ts';
import { unreachable } from '../../../../domain/result.ts';
import { isWebLink } from '../../../../domain/web-link.ts';
import { networkName } from '../display-names.ts';
import { merchantCharacters, merchantText } from '../merchant-text.ts';
import { receiptPath } from '../receipt/receipt-path.ts';
import { type CheckoutView, pagePath } from '../view.ts';
import { html, type Markup } from './html.ts';
import { ICONS } from './icons.ts';
import { choicesOf, language } from './page-choice.ts';
import { contactOf } from './page-contact.ts';
import { document } from './page-document.ts';
import { payment } from './page-pay.ts';
import { paymentsOf } from './page-payments.ts';
import { aboutOf, summaryOf } from './page-sums.ts';
import { until } from './page-times.ts';

/** Long enough to read the message and to stop the countdown. */
const LEAVES_AFTER_SECONDS = 5;
const SIMULATIONS = { paid: 'simulatePaid', partial: 'simulatePartial', over: 'simulateOver' } as const;
const DONE: ReadonlySet<string> = new Set(['paid', 'over']);

export async function invoicePage(view: CheckoutView): Promise<string> {
  const { home, invoice, stage, tongue } = view;
  const [title, tab] =
    invoice.title === null
      ? [tongue.say('payment'), tongue.say('payment')]
      : [merchantText(invoice.title), html`${merchantCharacters(invoice.title)}`];
  const here = pagePath(home, invoice.externalId, view.switched);
  const main = html`<main data-status="${stage.name}" data-state="${view.state}" data-open="${String(stage.open)}" data-live="${home}/${invoice.externalId}" data-page="${here}">
${invoice.sandbox ? sandbox(view) : null}
<div class="sheet">
${summaryOf(view, title)}
<div class="work">
${status(view)}
${view.seenLate === null ? null : html`<p class="note strong" id="seen-late">${tongue.say('seenLate', { network: networkName(view.seenLate) })}</p>`}
${view.problem === null ? null : html`<p class="problem" role="alert">${view.problem}</p>`}
${await payment(view)}
${choicesOf(view)}
${paymentsOf(view)}
${stage.late ? html`<section class="aside"><h2>${tongue.say('paidLateTitle')}</h2><p>${tongue.say('paidLateText')}</p></section>` : null}
${view.refund ? html`<a class="button main" href="${home}/${invoice.externalId}/refund${view.switched === null ? '' : `?lang=${view.switched}`}">${tongue.say('refundTitle')}</a>` : null}
${contactOf(view)}
${leaving(view)}
${stage.receipt ? html`<a class="button quiet" href="${receiptPath(view)}">${ICONS.receipt}<span>${tongue.say('receipt')}</span></a>` : null}
${stage.open ? html`<noscript><a class="button" href="${here}">${tongue.say('refresh')}</a></noscript>` : null}
</div>
${aboutOf(view)}
</div>
</main>`;
  return document(view, {
    title: html`${tab} · ${tongue.say(stage.title)}`,
    main,
    brand: view.brand,
    path: `${home}/${invoice.externalId}`,
  });
}

function status({ invoice, stage, tongue, now }: CheckoutView): Markup {
  return html`<div class="status ${stage.tone}${DONE.has(stage.name) ? ' done' : null}"><span class="mark">${ICONS[stage.tone]}</span><div class="words"><h2 id="status" tabindex="-1">${tongue.say(stage.title)}</h2><p>${tongue.say(stage.text)}</p>${
    stage.payable ? timeLeft(invoice, tongue, now) : null
  }</div></div>`;
}

/** The time of expiry. The script converts it to the reader's zone and counts down beside it. */
function timeLeft({ expiresAt }: Invoice, tongue: CheckoutView['tongue'], now: Date): Markup {
  const seconds = Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / 1000));
  const minutes = (count: number): Markup => tongue.count('minutesLeft', count);
  return html`<p class="left">${tongue.say('timeLeft')}${tongue.colon} <b role="timer" data-left="${String(seconds)}" data-five="${minutes(5)}" data-one="${minutes(1)}"></b> <span class="until">${until(expiresAt, tongue)}</span></p>`;
}

/** The buttons of the sandbox, for outcomes that the invoice can still have. */
function sandbox(view: CheckoutView): Markup {
  const { home, invoice, tongue, now } = view;
  const outcomes = CHECKOUT_OUTCOMES.filter((outcome) => outcomeRefusal(invoice, outcome, now) === null);
  return html`<aside class="sandbox"><p><b>${tongue.say('testTitle')}</b> ${tongue.say('testWarning')}</p>${
    outcomes.length > 0
      ? html`<form method="post" action="${home}/${invoice.externalId}/simulate">${language(view)}<p id="simulate">${tongue.say('simulate')}</p><div role="group" aria-labelledby="simulate">${outcomes.map(
          (outcome) =>
            html`<button name="simulate" value="${outcome}">${tongue.say(SIMULATIONS[outcome])}</button>`,
        )}</div></form>`
      : null
  }</aside>`;
}

/** The link back to the merchant. The page follows it automatically only after the payment. */
function leaving({ invoice, stage, tongue, brand }: CheckoutView): Markup | null {
  const back = html`<span>${
    brand === null ? tongue.say('back') : tongue.say('backTo', { merchant: merchantText(brand.name) })
  }</span>`;
  switch (stage.leads) {
    case null:
      return null;
    case 'cancel': {
      const [words, look] = stage.payable ? [tongue.say('cancel'), ' quiet'] : [back, ''];
      return link(
        invoice.onCancelUrl,
        (url) =>
          html`<a class="button${look}" data-redirect href="${url}" rel="noopener noreferrer">${words}</a>`,
      );
    }
    case 'paid':
      return link(
        invoice.onPaidUrl,
        (url) =>
          html`<a class="button main" data-redirect href="${url}" rel="noopener noreferrer">${back}</a>`,
      );
    case 'paid-by-itself':
      return link(
        invoice.onPaidUrl,
        (url) =>
          html`<div class="leave"><a class="button main" data-redirect data-after="${String(LEAVES_AFTER_SECONDS)}" href="${url}" rel="noopener noreferrer">${back}</a><p class="countdown" id="countdown" hidden><span>${tongue.say('leaving', { seconds: html`<b>${tongue.seconds(LEAVES_AFTER_SECONDS)}</b>` })}</span> <button type="button" id="stay">${tongue.say('stay')}</button></p></div>`,
      );
    default:
      return unreachable(stage.leads);
  }
}

function link(url: string | null, written: (url: string) => Markup): Markup | null {
  return url === null || !isWebLink(url) ? null : written(url);
}
