/** The page of a payment link: a form that opens an invoice; for a till with its last payments. */
import type { InvoiceStatus } from '../../../../domain/invoices/invoice.ts';
import {
  type LinkField,
  type LinkMode,
  type LinkState,
  linkDecimal,
  type PaymentLink,
} from '../../../../domain/links/payment-link.ts';
import type { Brand } from '../../../../ports/checkout/checkout-queries.ts';
import type { LinkPayment } from '../../../../ports/links/payment-link-repository.ts';
import { merchantCharacters, merchantText } from '../merchant-text.ts';
import type { TextKey } from '../messages/message-keys.ts';
import { html, type Markup } from '../page/html.ts';
import { contactSection } from '../page/page-contact.ts';
import { document } from '../page/page-document.ts';
import { type PageFrame, pagePath } from '../view.ts';
import { ANSWER_LENGTH_MAX } from './link-form.ts';

export interface LinkView extends PageFrame {
  readonly link: PaymentLink;
  readonly brand: Brand | null;
  /** Path of the page. */
  readonly path: string;
  readonly state: LinkState;
  /** The rest of the stock; null without one. */
  readonly left: number | null;
  /** Of a till. */
  readonly last: readonly LinkPayment[];
  /** The page is in a frame of another page: what it opens takes the whole window. */
  readonly framed: boolean;
  /** Why the form was refused, and what it contained. */
  readonly problem: Markup | null;
  /** The problem is one that only the merchant can solve. */
  readonly isStuck: boolean;
  readonly form: URLSearchParams | null;
}

const ACTS: Readonly<Record<LinkMode, TextKey>> = {
  payment: 'linkPay',
  donation: 'linkDonate',
  point_of_sale: 'linkCharge',
};
const QUESTIONS: Readonly<Record<LinkField, { readonly text: TextKey; readonly attributes: Markup }>> = {
  name: { text: 'linkName', attributes: html` autocomplete="name" required` },
  email: { text: 'linkEmail', attributes: html` type="email" autocomplete="email" required` },
  note: { text: 'linkNote', attributes: html` autocomplete="off"` },
};
const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '0'];

export function linkPage(view: LinkView): string {
  const { link, tongue, state, path } = view;
  const main = html`<main data-link="${link.mode}">
${link.sandbox ? html`<aside class="sandbox"><p><b>${tongue.say('testTitle')}</b> ${tongue.say('testWarning')}</p></aside>` : null}
<div class="sheet small"><div class="work link">
${link.pictureDigest === null ? null : html`<img class="picture" src="${view.path}/picture" alt="">`}
<h1>${merchantText(link.title)}</h1>
${link.description === null ? null : html`<p class="description">${merchantText(link.description)}</p>`}
${state === 'open' ? form(view) : closed(view)}
${state === 'open' && !view.isStuck ? null : contactSection(view, link.extra ?? link.id)}
</div></div>
${link.mode === 'point_of_sale' ? lastPayments(view) : null}
</main>`;
  return document(view, {
    title: html`${merchantCharacters(link.title)}`,
    main,
    brand: view.brand,
    // in a frame the page stays one of a frame in every language
    path: view.framed ? `${path}?frame=1` : path,
    style: view.assets.link,
  });
}

function closed({ state, tongue }: LinkView): Markup {
  const title = state === 'sold_out' ? 'linkSoldOutTitle' : 'linkClosedTitle';
  return html`<h2>${tongue.say(title)}</h2><p>${tongue.say('linkClosedText')}</p>`;
}

function form(view: LinkView): Markup {
  const { link, tongue, path, problem, switched, framed, left } = view;
  return html`<form method="post" action="${path}"${framed ? html` target="_top"` : null}>
${switched === null ? null : html`<input type="hidden" name="lang" value="${switched}">`}
${problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`}
${link.amountMicros === null ? amount(view) : html`<p class="price">${tongue.fiat(link.amountMicros, link.fiatCurrency)}</p>`}
${tips(view)}
${link.fields.map((field) => question(view, field))}
<button class="button main">${tongue.say(ACTS[link.mode])}</button>
${left === null ? null : html`<p class="note">${tongue.count('linkLeft', left)}</p>`}
</form>`;
}

function amount(view: LinkView): Markup {
  const { link, tongue } = view;
  const chips = link.suggestedMicros.map((micros) => ({
    value: linkDecimal(micros),
    text: tongue.fiat(micros, link.fiatCurrency),
  }));
  const bounds = boundsOf(view);
  const isNeeded = chips.length === 0 ? html` required` : null;
  return html`${choice(view, 'suggested', tongue.say('linkAmount'), chips)}
<label class="ask"><span>${tongue.say('linkAmount')} (${link.fiatCurrency})</span><input name="amount" inputmode="decimal" autocomplete="off" maxlength="19"${isNeeded}${bounds === null ? null : html` aria-describedby="bounds"`} value="${view.form?.get('amount') ?? ''}"></label>
${bounds === null ? null : html`<p class="note" id="bounds">${bounds}</p>`}
${link.mode === 'point_of_sale' ? keypad(view) : null}`;
}

function boundsOf({ link, tongue }: LinkView): Markup | null {
  const fiat = (micros: bigint) => tongue.fiat(micros, link.fiatCurrency);
  const { leastMicros, mostMicros } = link;
  if (leastMicros === null)
    return mostMicros === null ? null : tongue.say('linkUpTo', { most: fiat(mostMicros) });
  if (mostMicros === null) return tongue.say('linkFrom', { least: fiat(leastMicros) });
  return tongue.say('linkFromTo', { least: fiat(leastMicros), most: fiat(mostMicros) });
}

/** The script shows it. */
function keypad({ tongue }: LinkView): Markup {
  return html`<div class="keypad" data-keypad dir="ltr" hidden>${KEYS.map(
    (key) => html`<button type="button" value="${key}">${key}</button>`,
  )}<button type="button" value="" aria-label="${tongue.say('linkClear')}">C</button></div>`;
}

function tips(view: LinkView): Markup | null {
  const { link, tongue } = view;
  if (link.tips.length === 0) return null;
  const chips = link.tips.map((percent) => ({ value: String(percent), text: tongue.percent(percent) }));
  return choice(view, 'tip', tongue.say('linkTip'), [
    { value: '0', text: tongue.plain('linkNoTip') },
    ...chips,
  ]);
}

function choice(
  { form: sent }: LinkView,
  name: string,
  title: Markup,
  chips: readonly { readonly value: string; readonly text: string }[],
): Markup | null {
  if (chips.length === 0) return null;
  const chosen = sent?.get(name) ?? (name === 'tip' ? '0' : null);
  return html`<fieldset class="chips"><legend>${title}</legend>${chips.map(
    ({ value, text }) =>
      html`<label><input type="radio" name="${name}" value="${value}"${value === chosen ? html` checked` : null}><span>${text}</span></label>`,
  )}</fieldset>`;
}

function question({ tongue, form: sent }: LinkView, field: LinkField): Markup {
  const { text, attributes } = QUESTIONS[field];
  return html`<label class="ask"><span>${tongue.say(text)}</span><input name="${field}" maxlength="${String(ANSWER_LENGTH_MAX)}"${attributes} value="${sent?.get(field) ?? ''}"></label>`;
}

const NAMES: Readonly<Record<InvoiceStatus, TextKey>> = {
  created: 'waitingTitle',
  confirming: 'seenTitle',
  partially_paid: 'partialTitle',
  paid_over: 'paidTitle',
  success: 'paidTitle',
  failed: 'failedTitle',
  high_risk: 'reviewTitle',
  expired: 'expiredTitle',
  cancelled: 'lateTitle',
  refunded: 'refundedTitle',
};

function lastPayments({ last, link, tongue, home, switched }: LinkView): Markup {
  return html`<section class="sheet small last" aria-labelledby="last"><div class="work"><h2 id="last">${tongue.say('linkLast')}</h2>${
    last.length === 0
      ? html`<p class="note">${tongue.say('linkNoneYet')}</p>`
      : html`<ul>${last.map(
          ({ externalId, status, fiatMicros, createdAt }) =>
            html`<li><a href="${pagePath(home, externalId, switched)}"><b>${tongue.fiat(fiatMicros, link.fiatCurrency)}</b> <span>${tongue.say(NAMES[status])}</span></a> <time class="note" datetime="${createdAt.toISOString()}">${tongue.time(createdAt)}</time></li>`,
        )}</ul>`
  }</div></section>`;
}
