/**
 * The frame of every page of the guide: head, skip link, navigation and content. It has no script.
 */
import { html, Markup } from '../checkout/page/html.ts';

/** Everything below /docs, with what it is about. */
export const PLACES = [
  { path: '/docs', title: 'Guide', about: 'where to begin' },
  {
    path: '/docs/first-payment',
    title: 'First payment',
    about: 'from a key to a paid invoice and a payout, in ten minutes',
  },
  {
    path: '/docs/webhooks',
    title: 'Webhooks',
    about: 'how to verify them, receivers in five languages, how to miss none',
  },
  { path: '/docs/errors', title: 'Errors', about: 'each code: what it means, what to do, whether to repeat' },
  { path: '/docs/testing', title: 'Testing', about: 'the sandbox, every outcome, test webhooks' },
  { path: '/docs/going-live', title: 'Going live', about: 'keys, payouts, retries, and a checklist' },
  {
    path: '/docs/reference',
    title: 'Reference',
    about: 'every call with its fields, to try in the browser',
  },
] as const;

export type GuidePath = Exclude<(typeof PLACES)[number]['path'], '/docs/reference'>;

export interface GuidePage {
  readonly path: GuidePath;
  readonly title: string;
  /** One sentence: what the page is for. */
  readonly lead: string;
  readonly content: Markup;
}

export const STYLE_PATH = '/docs/guide.css';

export function framed({ path, title, lead, content }: GuidePage): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Quittance</title>
<meta name="description" content="${lead}">
<link rel="icon" href="/docs/favicon.png">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="/">Quittance</a>
<nav aria-label="Documentation"><ul>${PLACES.map(
    (place) =>
      html`<li><a href="${place.path}"${place.path === path ? html` aria-current="page"` : null}>${place.title}</a></li>`,
  )}</ul></nav>
</header>
<main id="content" tabindex="-1">
<h1>${title}</h1>
<p class="lead">${said(lead)}</p>
${content}
</main>
<footer><a href="/openapi.json">OpenAPI document</a></footer>
</body>
</html>
`.text;
}

/** A sentence. Text between backticks becomes code. */
export function said(sentence: string): Markup {
  const parts = sentence.split('`');
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

export function listed(sentences: readonly string[]): Markup {
  return html`<ul>${sentences.map((sentence) => html`<li>${said(sentence)}</li>`)}</ul>`;
}

/** Terms with what they mean. */
export function defined(entries: readonly (readonly [term: string, meaning: string])[]): Markup {
  return html`<dl>${entries.map(([term, meaning]) => html`<dt><code>${term}</code></dt><dd>${said(meaning)}</dd>`)}</dl>`;
}

/** The keyboard can scroll it sideways. */
export function code(text: string): Markup {
  return html`<pre tabindex="0"><code>${text}</code></pre>`;
}

/** Code that is folded until the reader opens it. */
export function folded(title: string, text: string): Markup {
  return html`<details><summary>${title}</summary>${code(text)}</details>`;
}

export function section(id: string, title: string, content: readonly Markup[]): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}
</section>`;
}

/** Joins parts that are markup already. */
export function joined(parts: readonly Markup[]): Markup {
  return new Markup(parts.map(({ text }) => text).join('\n'));
}
