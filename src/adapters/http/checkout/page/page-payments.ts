/** The list of payments, each with its progress and a link to an explorer. */
import { isWebLink } from '../../../../domain/web-link.ts';
import type { CheckoutView, ShownPayment } from '../view.ts';
import { html, type Markup } from './html.ts';
import { ICONS } from './icons.ts';
import { copyButton } from './page-pay.ts';

export function paymentsOf(view: CheckoutView): Markup | null {
  const { payments, tongue } = view;
  if (payments.length === 0) return null;
  return html`<section class="payments" aria-labelledby="payments"><h2 id="payments">${tongue.count('payments', payments.length)}</h2>
<ul>${payments.map((payment, index) => item(view, payment, index))}</ul></section>`;
}

function item(view: CheckoutView, payment: ShownPayment, index: number): Markup {
  const amount = view.tongue.amount(payment.units, view.catalog.require(payment.asset));
  return html`<li data-payment data-txid="${payment.txid}"><p class="paid-amount"><b>${amount}</b>${progress(view, payment)}</p>${transaction(view, payment, index)}</li>`;
}

function progress({ tongue }: CheckoutView, payment: ShownPayment): Markup {
  const { confirmationsNeeded: needed } = payment;
  if (payment.final) return html`<span class="final">${ICONS.good}${tongue.say('confirmed')}</span>`;
  if (payment.height === null) return html`<span>${tongue.say('inMempool')}</span>`;
  const deep = Math.max(1, (payment.head ?? payment.height) - payment.height + 1);
  if (needed === null) return html`<span>${tongue.count('confirmationsSoFar', deep)}</span>`;
  const reached = Math.min(deep, needed);
  const words = tongue.count('confirmationsOf', needed, {
    n: tongue.whole(reached),
    m: tongue.whole(needed),
  });
  return html`<span>${words}</span><progress value="${String(reached)}" max="${String(needed)}" aria-label="${words}"></progress>`;
}

/** The id, whole and to copy, with a link to the explorer where there is one. */
function transaction({ tongue }: CheckoutView, { explorer, txid }: ShownPayment, index: number): Markup {
  const label = `label-txid-${index}`;
  const copy = copyButton(tongue.say('copy'), {
    ...{ text: txid, done: tongue.say('copied'), id: `copy-txid-${index}`, describedBy: label },
  });
  if (explorer !== null && isWebLink(explorer)) {
    return html`<p class="unseen" id="${label}">${tongue.say('transactionId')}</p><p class="txid"><code>${txid}</code></p><div class="trace"><a class="look" href="${explorer}" target="_blank" rel="noopener noreferrer">${tongue.say('viewTransaction')}${ICONS.out}<span class="unseen"> ${tongue.say('newTab')}</span></a>${copy}</div>`;
  }
  return html`<p class="label" id="${label}">${tongue.say('transactionId')}</p><div class="value"><code>${txid}</code>${copy}</div>`;
}
