/** How to reach the merchant, and what to quote there. */
import { isWebLink } from '../../../../domain/web-link.ts';
import { merchantText } from '../merchant-text.ts';
import type { CheckoutView } from '../view.ts';
import { html, type Markup } from './html.ts';
import { ICONS } from './icons.ts';
import { copyButton } from './page-pay.ts';

/** Null where nothing on the page sends the customer to the merchant. */
export function contactOf(view: CheckoutView): Markup | null {
  const { invoice, stage } = view;
  const stuck = stage.payable && invoice.price === null && view.choices.length === 0;
  if (!stage.contact && !stuck) return null;
  return contactSection(view, invoice.extra ?? invoice.id);
}

/** `reference`: what the customer quotes. Null where the merchant is not known. */
export function contactSection(
  { brand, tongue }: Pick<CheckoutView, 'brand' | 'tongue'>,
  reference: string,
): Markup | null {
  if (brand === null) return null;
  return html`<section class="aside contact" aria-labelledby="contact"><h2 id="contact">${tongue.say('contactTitle', { merchant: merchantText(brand.name) })}</h2>
${brand.support === null ? null : support(brand.support, tongue.say('newTab'))}
<p class="label" id="label-reference">${tongue.say('orderReference')}</p><div class="value"><code>${merchantText(reference)}</code>${copyButton(
    tongue.say('copy'),
    {
      ...{ text: reference, done: tongue.say('copied') },
      ...{ id: 'copy-reference', describedBy: 'label-reference' },
    },
  )}</div></section>`;
}

function support(contact: string, newTab: Markup): Markup {
  return isWebLink(contact)
    ? html`<p><a class="look" href="${contact}" target="_blank" rel="noopener noreferrer">${contact}${ICONS.out}<span class="unseen"> ${newTab}</span></a></p>`
    : html`<p><a class="look" href="mailto:${contact}">${ICONS.mail}${contact}</a></p>`;
}
