/** The currencies to choose from, by coin and then by network, with one button each. */

import { shownSymbol } from '../../../../domain/catalog/coins.ts';
import { coinName, networkName, searchText, tokenStandard } from '../display-names.ts';
import type { AssetChoice, CheckoutView } from '../view.ts';
import { html, type Markup } from './html.ts';
import { ICONS } from './icons.ts';

/** A shorter list has no search field. */
const WORTH_SEARCHING = 6;
/** In micro-USD. A lower fee is shown as "under" this amount. */
const CENT = 10_000n;

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
    return html`<li class="coin"><ul>${row(only, html`${badge(symbol)}<span class="network">${words}${about}</span>`)}</ul></li>`;
  }
  return html`<li class="coin"><p class="coin-name">${badge(symbol)}<span>${words}</span></p><ul>${choices.map(
    (choice) => {
      const fee = feeOf(view, choice);
      return row(
        choice,
        html`<span class="network"><span class="unseen">${shownSymbol(symbol)}, </span><b>${networkOf(choice)}</b></span>${fee === null ? null : html`<span class="fee">${fee}</span>`}`,
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

function feeOf({ tongue }: CheckoutView, { feeMicroUsd }: AssetChoice): Markup | null {
  if (feeMicroUsd === null) return null;
  const least = feeMicroUsd < CENT;
  const fee = tongue.fiat(least ? CENT : feeMicroUsd, 'USD');
  return tongue.say(least ? 'feeUnder' : 'feeAbout', { fee });
}

/** A coin's mark: its first letter in its colour. */
export function badge(symbol: string): Markup {
  return html`<span class="badge coin-${symbol.toLowerCase()}" aria-hidden="true">${symbol.charAt(0)}</span>`;
}
