/**
 * The frame of every page of the checkout: head, the merchant's name, the language switch, the
 * footer.
 */
import { isWebLink } from '../../../../domain/web-link.ts';
import type { Brand } from '../../../../ports/checkout/checkout-queries.ts';
import { merchantText } from '../merchant-text.ts';
import { directionOf, LANGUAGES, MESSAGES } from '../messages/languages.ts';
import type { PageFrame } from '../view.ts';
import { html, type Markup } from './html.ts';
import { ICONS } from './icons.ts';

interface PageContent {
  readonly title: Markup;
  /** The whole `main` element. */
  readonly main: Markup;
  readonly brand: Brand | null;
  /** What the language switch links to, with a query or without. '' is the current page. */
  readonly path: string;
  /** Path of a stylesheet beside the one of every page. */
  readonly style?: string;
}

export function document(frame: PageFrame, { title, main, brand, path, style }: PageContent): string {
  const { home, tongue, assets } = frame;
  const accent = brand?.accent ?? null;
  return html`<!doctype html>
<html lang="${tongue.language}" dir="${directionOf(tongue.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assets.icon}">
<link rel="stylesheet" href="${assets.style}">
${style === undefined ? null : html`<link rel="stylesheet" href="${style}">`}
${accent === null ? null : html`<link rel="stylesheet" href="${home}/assets/accent-${accent.slice(1)}.css">`}
<script type="module" src="${assets.script}"></script>
</head>
<body>
<header>${merchant(home, brand)}${switchOf(frame, path)}</header>
${main}
<footer>${seller(frame, brand)}<p>${tongue.say('secured', { name: 'Quittance' })}</p></footer>
<p id="live" class="unseen" role="status" aria-live="polite"></p>
</body>
</html>
`.text;
}

/** A page with nothing but a message. `page`: the path of the invoice's page, to try again. */
export function messagePage(frame: PageFrame, title: Markup, text: Markup, page: string | null): string {
  const again = page === null || frame.switched === null ? page : `${page}?lang=${frame.switched}`;
  const main = html`<main><div class="sheet small"><div class="work"><h1>${title}</h1><p>${text}</p>${
    again === null ? null : html`<a class="button main" href="${again}">${frame.tongue.say('tryAgain')}</a>`
  }</div></div></main>`;
  return document(frame, { title, main, brand: null, path: page ?? '' });
}

function merchant(home: string, brand: Brand | null): Markup {
  const digest = brand?.logoDigest ?? null;
  const logo =
    digest === null ? null : html`<img src="${home}/assets/logo/${digest}" alt="" width="40" height="40">`;
  return html`<p class="merchant">${logo}${brand === null ? null : html`<b>${merchantText(brand.name)}</b>`}</p>`;
}

/** The merchant's legal name and terms. */
function seller({ tongue }: PageFrame, brand: Brand | null): Markup | null {
  const { legalName = null, termsUrl = null } = brand ?? {};
  const parts = [
    legalName === null ? null : html`<span>${merchantText(legalName)}</span>`,
    termsUrl === null || !isWebLink(termsUrl)
      ? null
      : html`<a href="${termsUrl}" target="_blank" rel="noopener noreferrer">${tongue.say('terms')}<span class="unseen"> ${tongue.say('newTab')}</span></a>`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : html`<p class="seller">${parts}</p>`;
}

/** Made of links, so that it works without the script. */
function switchOf({ tongue }: PageFrame, path: string): Markup {
  const here = `${path}${path.includes('?') ? '&' : '?'}lang=`;
  return html`<details class="languages" id="languages"><summary>${ICONS.globe}<span class="unseen">${tongue.say('language')}${tongue.colon} ${tongue.say('nativeName')}</span></summary><ul>${LANGUAGES.map(
    (language) =>
      html`<li><a href="${here}${language}" lang="${language}" dir="${directionOf(language)}" hreflang="${language}"${language === tongue.language ? html` aria-current="true"` : null}>${MESSAGES[language].nativeName}</a></li>`,
  )}</ul></details>`;
}
