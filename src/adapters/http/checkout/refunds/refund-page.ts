/** The page of a refund: the customer enters an address, checks what arrives, and sees it sent. */
import type { PartsOf } from '../../../../app/invoices/addresses/address-parts.ts';
import type { RefundQuote } from '../../../../app/payouts/refunds/refund-order.ts';
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { FAMILY_ROWS } from '../../../../domain/catalog/family.ts';
import { isClaimable } from '../../../../domain/payouts/refund-claim.ts';
import { isWebLink } from '../../../../domain/web-link.ts';
import type { Brand } from '../../../../ports/checkout/checkout-queries.ts';
import type { ClaimWithPayout } from '../../../../ports/payouts/refund-claim-repository.ts';
import { networkName } from '../display-names.ts';
import type { TextKey } from '../messages/message-keys.ts';
import { html, type Markup } from '../page/html.ts';
import { ICONS } from '../page/icons.ts';
import { contactSection } from '../page/page-contact.ts';
import { document } from '../page/page-document.ts';
import { until } from '../page/page-times.ts';
import type { PageFrame } from '../view.ts';

export interface RefundView extends PageFrame, ClaimWithPayout {
  readonly asset: Asset;
  readonly brand: Brand | null;
  /** What the customer quotes to the merchant; null where there is nothing to ask. */
  readonly reference: string | null;
  readonly partsOf: PartsOf;
  /** Path of the page. */
  readonly path: string;
  /** Path of the invoice's page, if that leads here. */
  readonly back: string | null;
  /** What the customer asked for: shown before it is confirmed. */
  readonly quote: RefundQuote | null;
  /** The customer wants another address than the one that was confirmed. */
  readonly changes: boolean;
  readonly entered: { readonly address: string; readonly tag: string };
  readonly problem: Markup | null;
  /** URL of the transaction in an explorer. */
  readonly explorer: string | null;
  readonly now: Date;
}

export type RefundStage = 'enter' | 'check' | 'confirmed' | 'sent' | 'paid' | 'over';

export function refundStage({
  claim,
  quote,
  changes,
  now,
}: Pick<RefundView, 'claim' | 'quote' | 'changes' | 'now'>): RefundStage {
  const { status } = claim;
  if (status === 'sent' || status === 'paid') return status;
  if (status !== 'confirmed' && !isClaimable(claim, now)) return 'over';
  if (quote !== null) return 'check';
  return status === 'confirmed' && !changes ? 'confirmed' : 'enter';
}

const TITLES: Readonly<Record<RefundStage, TextKey>> = {
  enter: 'refundTitle',
  check: 'refundCheckTitle',
  confirmed: 'refundConfirmedTitle',
  sent: 'refundSentTitle',
  paid: 'refundPaidTitle',
  over: 'refundOverTitle',
};

export function refundPage(view: RefundView): string {
  const { claim, tongue, path, brand, back, problem } = view;
  const stage = refundStage(view);
  const main = html`<main data-refund="${stage}">
${claim.sandbox ? html`<aside class="sandbox"><p><b>${tongue.say('testTitle')}</b> ${tongue.say('testWarning')}</p></aside>` : null}
<div class="sheet small"><div class="work link">
<h1>${tongue.say(TITLES[stage])}</h1>
${problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`}
${content(view, stage)}
${view.reference === null ? null : contactSection(view, view.reference)}
${back === null ? null : html`<p><a class="look" href="${back}">${tongue.say('payment')}</a></p>`}
</div></div></main>`;
  return document(view, {
    title: html`${tongue.say(TITLES[stage])}`,
    main,
    brand,
    path,
    style: view.assets.link,
  });
}

function content(view: RefundView, stage: RefundStage): Markup {
  switch (stage) {
    case 'enter':
      return enter(view);
    case 'check':
      return check(view);
    case 'over':
      return html`<p>${view.tongue.say('refundOverText')}</p>`;
    default:
      return progress(view, stage);
  }
}

function enter(view: RefundView): Markup {
  const { claim, asset, tongue, entered } = view;
  const network = networkName(asset);
  return html`<p class="price">${tongue.amount(claim.units, asset)}</p>
<p>${tongue.say('refundText', { network: html`<b>${network}</b>` })}</p>
${form(
  view,
  html`<label class="ask"><span>${tongue.say('refundAddress', { network })}</span><input name="address" value="${entered.address}" required maxlength="256" autocomplete="off" autocapitalize="off" spellcheck="false" dir="ltr"></label>
${FAMILY_ROWS[asset.family].memo === 'tag' ? html`<label class="ask"><span>${tongue.say('refundTag')}</span><input name="tag" value="${entered.tag}" inputmode="numeric" maxlength="10" autocomplete="off" dir="ltr"></label>` : null}
<p class="note">${tongue.say('refundCare')}</p>
${memoWarning(view)}
<button class="button main" name="step" value="check">${tongue.say('refundContinue')}</button>`,
)}
${claim.status === 'open' ? html`<p class="note">${tongue.say('timeLeft')}${tongue.colon} ${until(claim.expiresAt, tongue)}</p>` : null}`;
}

function check(view: RefundView): Markup {
  const { asset, tongue, quote, entered, path } = view;
  if (quote === null) throw new Error('a check without its quote');
  const { units, sentUnits } = quote;
  const line = (name: TextKey, value: string, total = false) =>
    html`<div${total ? html` class="total"` : null}><dt>${tongue.say(name)}</dt><dd>${value}</dd></div>`;
  return html`<dl>${sentUnits === units ? null : [line('amountRefunded', tongue.amount(units, asset)), line('refundFee', tongue.amount(units - sentUnits, asset))]}${line('refundArrives', tongue.amount(sentUnits, asset), true)}</dl>
${recipient(view, quote.address)}
<p class="note">${tongue.say('refundCare')}</p>
${memoWarning(view)}
${form(
  view,
  html`<input type="hidden" name="address" value="${entered.address}"><input type="hidden" name="tag" value="${entered.tag}"><input type="hidden" name="seen" value="${String(sentUnits)}">
<button class="button main" name="step" value="confirm">${tongue.say('refundConfirm')}</button>`,
)}
<a class="button quiet" href="${path}?change=1${lang(view, '&')}">${tongue.say('refundChange')}</a>`;
}

/** Of families whose wallets ask for a comment, and whose payments from here carry none. */
function memoWarning({ asset, tongue }: RefundView): Markup | null {
  const isLost = FAMILY_ROWS[asset.family].memo === 'needless';
  return isLost ? html`<p class="note"><b>${tongue.say('refundMemo')}</b></p>` : null;
}

/** It can be changed while nothing is signed; the server decides. */
function progress(view: RefundView, stage: RefundStage): Markup {
  const { claim, payout, asset, tongue, path, explorer } = view;
  const amount = tongue.amount(payout?.sentUnits ?? claim.units, asset);
  return html`<p class="price">${amount}</p>
${recipient(view, claim.address ?? '')}
${
  stage === 'confirmed'
    ? html`<p>${tongue.say('refundConfirmedText')}</p><a class="button quiet" href="${path}?change=1${lang(view, '&')}">${tongue.say('refundChange')}</a>`
    : null
}
${transaction(view, payout?.txid ?? null, explorer)}
${stage === 'paid' ? null : html`<a class="button" href="${path}${lang(view, '?')}">${tongue.say('refresh')}</a>`}`;
}

/** An account and its tag apart (XRP), as the customer's wallet shows them. */
function recipient({ asset, tongue, partsOf }: RefundView, address: string): Markup {
  const value = (label: Markup, text: string) =>
    html`<p class="label">${label}</p><div class="value"><code>${text}</code></div>`;
  const parts = partsOf(asset.family, address);
  const network = networkName(asset);
  return html`${value(tongue.say('toAddress', { network }), parts?.account ?? address)}${
    parts === null || parts.tag === null ? null : value(tongue.say('withTag'), String(parts.tag))
  }`;
}

function transaction({ tongue }: RefundView, txid: string | null, explorer: string | null): Markup | null {
  if (txid === null) return null;
  return html`<p class="label">${tongue.say('transactionId')}</p><div class="value"><code>${txid}</code></div>${
    explorer === null || !isWebLink(explorer)
      ? null
      : html`<a class="look" href="${explorer}" target="_blank" rel="noopener noreferrer">${tongue.say('viewTransaction')}${ICONS.out}<span class="unseen"> ${tongue.say('newTab')}</span></a>`
  }`;
}

function form({ path, switched }: RefundView, fields: Markup): Markup {
  return html`<form method="post" action="${path}">${switched === null ? null : html`<input type="hidden" name="lang" value="${switched}">`}${fields}</form>`;
}

function lang({ switched }: RefundView, before: '?' | '&'): string {
  return switched === null ? '' : `${before}lang=${switched}`;
}
