/**
 * The frame of the console's pages: head, navigation, messages. A page is made for one request,
 * with the code of its forms.
 */
import type { AppError } from '../../../../domain/errors.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { consoleAnswer, leadTo } from './answers.ts';
import { DONE, type DoneCode } from './done.ts';
import { type Followed, liveKey } from './live-state.ts';
import { navigation } from './navigation.ts';
import type { ShellParts } from './place.ts';

/** A fault as the pages show it. */
export interface Problem extends Pick<AppError, 'message' | 'details'> {
  /** Its faults as sentences, where the form names them (form-parts.ts). */
  readonly faults?: readonly ShownFault[];
}

export interface ShownFault {
  /** Of the input; null: the page has none. */
  readonly id: string | null;
  readonly sentence: string;
}

export interface PageContent {
  readonly title: string;
  readonly body: Markup;
  /** Default: 200. */
  readonly status?: number;
  /** What went wrong with the form that was sent. */
  readonly problem?: string | Problem | null;
  /** Draws charts: loads their script and stylesheet. */
  readonly charts?: boolean;
  /** The page is renewed when something changes: a change that the merchant is notified of. */
  readonly live?: boolean;
  /** And when an invoice was created. */
  readonly showsNewInvoices?: boolean;
}

export interface Shell {
  readonly home: string;
  /** The hidden field that every form with a session carries. */
  readonly codeField: Markup | null;
  /** A random UUID in a form: sent twice, it is carried out once. */
  formId(): Markup;
  page(content: PageContent): Response;
  /** Leads to a path, which says that it is done. */
  done(path: string, code: DoneCode): Response;
  lead(path: string): Response;
  /** A form that posts to `action`, with its code. `upload`: it has a file. */
  form(action: string, fields: Markup, options?: { upload?: boolean; class?: string }): Markup;
}

export function shellOf(parts: ShellParts): Shell {
  const { request, home, formCode } = parts;
  const codeField = formCode === null ? null : html`<input type="hidden" name="code" value="${formCode}">`;
  return {
    ...{ home, codeField },
    formId: () => html`<input type="hidden" name="form_id" value="${parts.uuid()}">`,
    page: (content) => consoleAnswer(request, content.status ?? 200, documentOf(parts, content)),
    done: (path, code) => leadTo(`${path}${path.includes('?') ? '&' : '?'}done=${code}`),
    lead: leadTo,
    form: (action, fields, { upload = false, class: style = '' } = {}) =>
      html`<form method="post" action="${action}" class="${style}"${upload ? html` enctype="multipart/form-data"` : null}>${codeField}${fields}</form>`,
  };
}

/** htmx evaluates nothing, adds no style, and asks this host only. */
const HTMX =
  '{"includeIndicatorStyles":false,"allowEval":false,"selfRequestsOnly":true,"historyCacheSize":0}';

function documentOf(parts: ShellParts, content: PageContent): string {
  const { home, assets, request, signedIn } = parts;
  const at = (name: string): string => `${home}/assets/${name}`;
  // Before the second factor there is nothing to lead to.
  const isFramed = signedIn !== null && signedIn.session.stage !== 'password';
  const done = new URL(request.url).searchParams.get('done') as DoneCode | null;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="${HTMX}">
<title>${content.title} · Quittance</title>
<link rel="icon" type="image/svg+xml" href="${at(assets.icon)}">
<link rel="stylesheet" href="${at(assets.style)}">
${content.charts ? html`<script type="module" src="${at(assets.charts)}"></script>` : null}
<script type="module" src="${at(assets.script)}"></script>
</head>
<body class="${isFramed ? 'framed' : 'plain'}">
<a class="skip" href="#main">Skip to the content</a>
${isFramed ? navigation(parts) : null}
<main id="main"${liveOf(parts, content)} tabindex="-1">
<h1>${content.title}</h1>
${done !== null && Object.hasOwn(DONE, done) ? html`<p class="message good" role="status">${DONE[done]}</p>` : null}
${problemOf(content.problem ?? null)}
${content.body}
</main>
<p id="announce" class="unseen" role="status" aria-live="polite"></p>
</body>
</html>
`.text;
}

/** Where the page's script listens, and the state that the page was made of. */
function liveOf(
  { home, place, liveStates }: ShellParts,
  { live, showsNewInvoices }: PageContent,
): Markup | null {
  if (!live) return null;
  const followed: Followed = showsNewInvoices ? 'invoices' : 'changes';
  const query =
    place.area === 'merchant'
      ? `?merchant=${place.merchantId}&environment=${place.environment}&follow=${followed}`
      : '';
  const state = liveStates?.get(liveKey(place, followed) ?? '') ?? '';
  return html` data-live="${home}/live${query}" data-state="${state}"`;
}

function problemOf(problem: string | Problem | null): Markup | null {
  if (problem === null) return null;
  if (typeof problem === 'string') return html`<p class="message bad" role="alert">${problem}</p>`;
  const lines = problem.faults?.map(faultLine) ?? fieldLines(problem.details);
  return html`<div class="message bad" role="alert"><p>${problem.message}</p>${
    lines.length === 0 ? null : html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`
  }</div>`;
}

function faultLine({ id, sentence }: ShownFault): Markup {
  return id === null ? html`${sentence}` : html`<a href="#${id}">${sentence}</a>`;
}

function fieldLines(details: unknown): readonly Markup[] {
  const fields = Array.isArray(details) ? (details as readonly { field: string; message: string }[]) : [];
  return fields.map(({ field, message }) => html`<b>${field}</b> ${message}`);
}
