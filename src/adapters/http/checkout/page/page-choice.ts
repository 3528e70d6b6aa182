/** The currencies to choose from, by coin and then by network, with one button each. */

import { shownSymbol } from '../../../../domain/catalog/coins.ts';
import { ceilToMinor } from '../../../../domain/catalog/fiat.ts';
import { coinName, networkName, searchText, tokenStandard } from '../display-names.ts';
import type { AssetChoice, CheckoutView } from '../view.ts';
import { html, type Markup } from './html.ts';
import { ICONS } from './icons.ts';
import { coinMark, networkMark } from './marks.ts';

/** A shorter list has no search field. */
const WORTH_SEARCHING = 6;
/** Open before a choice, folded after it. Null where there is nothing to choose. */
export function choicesOf(view: CheckoutView): Markup | null {
  const { invoice, tongue, choices } = view;
  if (!view.stage.payable) return null;
  if (invoice.price === null) {
    return choices.length === 0 ? html`<p class="note">${tongue.say('noCurrency')}</p>` : list(view, choices);
  }
  const others = choices.filter(({ asset }) => asset.key !== invoice.price?.asset);
  if (others.length === 0) return null;
  return html`<details class="change" id="change"><summary>${ICONS.swap}${tongue.say('change')}</summary>${list(view, others)}</details>`;
}

function list(view: CheckoutView, choices: readonly AssetChoice[]): Markup {
  const { home, invoice, tongue } = view;
  const coins = Map.groupBy(choices, ({ asset }) => asset.ticker);
  return html`<form method="post" action="${home}/${invoice.externalId}/currency" class="choices">
${language(view)}
${
  choices.length < WORTH_SEARCHING
    ? null
    : html`<input type="search" id="search" class="search" autocomplete="off" spellcheck="false" placeholder="${tongue.say('search')}" aria-label="${tongue.say('search')}" hidden>`
}
<p class="note" role="status" id="no-match" data-text="${tongue.say('noMatch')}"></p>
<ul class="coins">${[...coins.values()].map((ofCoin) => coin(view, ofCoin))}</ul>
</form>`;
}

/** Keeps the language of the switch when a form is submitted. */
export function language({ switched }: CheckoutView): Markup | null {
  return switched === null ? null : html`<input type="hidden" name="lang" value="${switched}">`;
}

/** A coin with one network is one row. Several networks are rows below its name. */
function coin(view: CheckoutView, choices: readonly AssetChoice[]): Markup {
  const { asset } = choices[0]!;
  const { symbol } = asset;
  const name = coinName(asset);
  const words = html`<b>${shownSymbol(symbol)}</b>${name === symbol ? null : html` <span class="soft">${name}</span>`}`;
  const [only, ...more] = choices;
  if (only !== undefined && more.length === 0) {
    const fee = feeOf(view, only);
    const about = html`<small>${networkOf(only)}${fee === null ? null : html` · ${fee}`}</small>`;
    return html`<li class="coin"><ul>${row(only, html`${coinMark(symbol)}<span class="network">${words}${about}</span>`)}</ul></li>`;
  }
  return html`<li class="coin"><p class="coin-name">${coinMark(symbol)}<span>${words}</span></p><ul>${choices.map(
    (choice) => {
      const fee = feeOf(view, choice);
      return row(
        choice,
        html`${networkMark(choice.asset)}<span class="network"><span class="unseen">${shownSymbol(symbol)}, </span><b>${networkOf(choice)}</b></span>${fee === null ? null : html`<span class="fee">${fee}</span>`}`,
      );
    },
  )}</ul></li>`;
}

function row({ asset }: AssetChoice, words: Markup): Markup {
  return html`<li data-search="${searchText(asset)}"><button name="asset" value="${asset.key}">${words}</button></li>`;
}

function networkOf({ asset }: AssetChoice): Markup {
  const standard = tokenStandard(asset);
  return html`${networkName(asset)}${standard === null ? null : html` <span class="soft">${standard}</span>`}`;
}

/** A fee below the minor unit of the invoice's currency is shown as "under" one of it. */
function feeOf({ invoice, tongue }: CheckoutView, { feeMicros }: AssetChoice): Markup | null {
  if (feeMicros === null) return null;
  const currency = invoice.fiatCurrency;
  const least = ceilToMinor(1n, currency);
  const fee = tongue.fiat(feeMicros < least ? least : feeMicros, currency);
  return tongue.say(feeMicros < least ? 'feeUnder' : 'feeAbout', { fee });
}
