/** How to pay: QR code, exact amount, address, and what else a wallet needs. */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { shownSymbol } from '../../../../domain/catalog/coins.ts';
import { FAMILY_ROWS } from '../../../../domain/catalog/family.ts';
import { paymentUri } from '../../../../domain/catalog/payment-uri.ts';
import { type InvoicePrice, receivedUnits } from '../../../../domain/invoices/invoice.ts';
import { formatUnits, roundToDisplay } from '../../../../domain/money/decimal.ts';
import { qrCode } from '../../kit/documents/qr-code.ts';
import { networkName } from '../display-names.ts';
import type { CheckoutView } from '../view.ts';
import { html, Markup } from './html.ts';
import { ICONS } from './icons.ts';
import { walletsOf } from './page-wallets.ts';

/** Null where there is nothing to pay, and before a choice. */
export async function payment(view: CheckoutView): Promise<Markup | null> {
  const { invoice, tongue, parts, chainId } = view;
  const { price, addressTo: address } = invoice;
  if (!view.stage.payable || price === null || address === null) return null;
  const asset = view.catalog.require(price.asset);
  const network = networkName(asset);
  const received = receivedUnits(invoice.funds);
  const missing = price.dueUnits > received ? price.dueUnits - received : price.dueUnits;
  const amount = tongue.amount(missing, asset);
  const uri = paymentUri(asset, { address, units: missing, parts, chainId });
  const opener = walletLink(view, uri, address);
  return html`<div class="pay">
${walletsOf(view, asset, { address, units: missing })}
${opener}
<div class="fields">
${received === 0n ? null : html`<p class="received">${tongue.say('receivedSoFar', { amount: html`<b>${tongue.amount(received, asset)}</b>` })}</p>`}
${field(view, {
  name: 'amount',
  label: tongue.say(amountLabel(view, received)),
  shown: html`${tongue.bareAmount(missing, asset)}`,
  copied: formatUnits(missing, asset.decimals),
})}
${whereTo(view, asset, address)}
</div>
<details class="scan" id="scan"${opener === null ? html` open` : null}><summary>${ICONS.qr}${tongue.say('showQr')}</summary><div class="qr" role="img" aria-label="${tongue.say('qrLabel', { amount, network })}">${new Markup(await qrCode(uri, { margin: 2 }))}</div><p class="hint" aria-hidden="true">${tongue.say('scan')}</p></details>
</div>
<div class="care">${ICONS.network}<div><p>${tongue.say('onlyNetwork', { symbol: html`<b>${shownSymbol(asset.symbol)}</b>`, network: html`<b>${network}</b>` })}</p>
<p>${invoice.billingType === 'VARY' ? tongue.say('amountAny', { least: tongue.amount(leastOf(price, asset), asset) }) : tongue.say('feeOnTop')}</p>
${FAMILY_ROWS[asset.family].memo === 'needless' ? html`<p>${tongue.say('noMemo')}</p>` : null}</div></div>`;
}

/** The least amount that is credited, rounded up to digits that wallets accept. */
function leastOf({ deferralUnits, dueUnits }: InvoicePrice, asset: Asset): bigint {
  return deferralUnits < dueUnits ? roundToDisplay(deferralUnits, asset, 'ceil') : dueUnits;
}

function amountLabel({ invoice }: CheckoutView, received: bigint) {
  if (invoice.billingType === 'VARY') return 'amountSuggested';
  return received === 0n ? 'sendExactly' : 'stillToSend';
}

function whereTo(view: CheckoutView, asset: Asset, address: string): Markup {
  const { tongue, parts } = view;
  const network = networkName(asset);
  if (parts === null || parts.tag === null) {
    const label = tongue.say('toAddress', { network });
    return field(view, { name: 'address', label, shown: inGroups(address), copied: address });
  }
  // Many wallets ask for an account and a tag. Others take the X-address, which contains both.
  const tag = String(parts.tag);
  return html`${field(view, {
    name: 'address',
    label: tongue.say('toAddress', { network }),
    shown: inGroups(parts.account),
    copied: parts.account,
  })}
${field(view, { name: 'tag', label: tongue.say('withTag'), shown: html`${tag}`, copied: tag })}
<p class="note strong">${tongue.say('tagNeeded')}</p>
<details class="more" id="x-address"><summary>${tongue.say('orXAddress')}</summary>${field(view, {
    name: 'xaddress',
    label: tongue.say('xAddress'),
    shown: inGroups(address),
    copied: address,
  })}</details>`;
}

interface CopyField {
  readonly name: 'amount' | 'address' | 'tag' | 'xaddress';
  readonly label: Markup;
  readonly shown: Markup;
  /** Exactly what the wallet needs. */
  readonly copied: string;
}

function field({ tongue }: CheckoutView, { name, label, shown, copied }: CopyField): Markup {
  return html`<div class="field" data-field="${name}"><p class="label" id="label-${name}">${label}</p><div class="value"><code>${shown}</code>${copyButton(
    tongue.say('copy'),
    { text: copied, done: tongue.say('copied'), id: `copy-${name}`, describedBy: `label-${name}` },
  )}</div></div>`;
}

/** Hidden until the script shows it: copying needs the script. */
export function copyButton(
  word: Markup,
  it: { text: string; done: Markup; id: string; describedBy: string },
): Markup {
  return html`<button type="button" class="copy" id="${it.id}" data-copy="${it.text}" data-done="${it.done}" aria-describedby="${it.describedBy}" hidden>${ICONS.copy}<span>${word}</span></button>`;
}

/**
 * In groups of four, which are easier to compare. The text has no spaces, so a selection is the
 * address.
 */
function inGroups(text: string): Markup {
  const [, scheme = '', rest = text] = /^([a-z]+:)(.+)$/.exec(text) ?? [];
  const groups = [...(scheme === '' ? [] : [scheme]), ...(rest.match(/.{1,4}/gs) ?? [])];
  return html`${groups.map((group) => html`<span class="four">${group}</span><wbr>`)}`;
}

/** Null where the URI is a bare address, which opens no wallet. */
function walletLink({ tongue }: CheckoutView, uri: string, address: string): Markup | null {
  const callable = uri !== address && /^[a-z]+:/.test(uri);
  if (!callable) return null;
  return html`<a class="button main" data-wallet href="${uri}">${ICONS.wallet}<span>${tongue.say('openWallet')}</span></a>`;
}
