/** The pieces that the console's pages are made of: tables, facts, fields, badges, amounts. */
import { FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import { formatUnits, parseDecimal, toUnits } from '../../../../domain/money/decimal.ts';
import { html, type Markup } from '../../checkout/page/html.ts';

export interface Column<Row> {
  readonly title: string;
  /** Numbers stand at the end of their cell. */
  readonly align?: 'end';
  cell(row: Row): Markup | string | null;
}

/** On a phone each row becomes a block, with the titles beside the cells. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { empty, caption }: { readonly empty: string; readonly caption: string },
): Markup {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table><caption class="unseen">${caption}</caption><thead><tr>${columns.map(
    ({ title, align }) => html`<th scope="col"${alignment(align)}>${title}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr>${columns.map(
        ({ title, align, cell }) => html`<td data-title="${title}"${alignment(align)}>${cell(row)}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`;
}

function alignment(align: 'end' | undefined): Markup | null {
  return align === undefined ? null : html` class="end"`;
}

/** Names and values below each other; null is left out. */
export function facts(rows: readonly (readonly [name: string, value: Markup | string | null])[]): Markup {
  return html`<dl class="facts">${rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'plain';

export function badge(text: string, tone: Tone): Markup {
  return html`<span class="badge ${tone}">${text}</span>`;
}

export function card(title: string, body: Markup | readonly Markup[], more: Markup | null = null): Markup {
  return html`<section class="card"><header><h2>${title}</h2>${more}</header>${body}</section>`;
}

export interface FieldOptions {
  /** Unique on the page, where it has several fields of the name. Default: the name. */
  readonly id?: string;
  readonly hint?: string;
  readonly value?: string | null;
  readonly type?:
    | 'text'
    | 'email'
    | 'password'
    | 'number'
    | 'url'
    | 'date'
    | 'datetime-local'
    | 'search'
    | 'color'
    | 'file'
    | 'month';
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly inputmode?: 'decimal' | 'numeric';
  readonly maxLength?: number;
  readonly accept?: string;
  /** What is wrong with what was entered, as a sentence (form-parts.ts). */
  readonly fault?: string | null;
}

/** A labelled input. */
export function field(name: string, label: string, options: FieldOptions = {}): Markup {
  const {
    id = name,
    hint,
    value,
    type = 'text',
    required,
    autocomplete,
    inputmode,
    maxLength,
    accept,
    fault = null,
  } = options;
  return html`<p class="field"><label for="${id}">${label}</label><input id="${id}" name="${name}" type="${type}"${
    value === undefined || value === null || type === 'password' ? null : html` value="${value}"`
  }${required ? html` required` : null}${attribute('autocomplete', autocomplete)}${attribute('inputmode', inputmode)}${attribute(
    'maxlength',
    maxLength === undefined ? undefined : String(maxLength),
  )}${attribute('accept', accept)}${described({ id, hint, fault })}>${notes({ id, hint, fault })}</p>`;
}

interface Notes {
  readonly id: string;
  readonly hint: string | undefined;
  readonly fault: string | null;
}

/** A screen reader says both with the input. */
function described({ id, hint, fault }: Notes): Markup | null {
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...(fault === null ? [] : [`${id}-fault`])];
  if (ids.length === 0) return null;
  return html`${fault === null ? null : html` aria-invalid="true"`} aria-describedby="${ids.join(' ')}"`;
}

function notes({ id, hint, fault }: Notes): Markup {
  return html`${hint === undefined ? null : html`<span class="hint" id="${id}-hint">${hint}</span>`}${fault === null ? null : html`<span class="fault" id="${id}-fault">${fault}</span>`}`;
}

export interface AreaOptions {
  readonly hint?: string;
  readonly value?: string;
  readonly rows?: number;
  readonly fault?: string | null;
}

/** Whose password a form is about, for the browser that keeps it. */
export function username(email: string): Markup {
  return html`<input type="email" name="username" value="${email}" autocomplete="username" hidden readonly>`;
}

export function area(
  name: string,
  label: string,
  { hint, value = '', rows = 4, fault = null }: AreaOptions = {},
): Markup {
  const of = { id: name, hint, fault };
  return html`<p class="field"><label for="${name}">${label}</label><textarea id="${name}" name="${name}" rows="${String(rows)}"${described(of)}>${value}</textarea>${notes(of)}</p>`;
}

export type Options = readonly (readonly [value: string, text: string])[];

export interface ChoiceOptions {
  readonly chosen?: string | null;
  readonly hint?: string;
  readonly id?: string;
  readonly fault?: string | null;
}

export function choice(
  name: string,
  label: string,
  options: Options,
  { chosen = null, hint, id = name, fault = null }: ChoiceOptions = {},
): Markup {
  const of = { id, hint, fault };
  return html`<p class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}"${described(of)}>${options.map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen ? html` selected` : null}>${text}</option>`,
  )}</select>${notes(of)}</p>`;
}

export function checkbox(name: string, label: string, { checked = false, value = 'on' } = {}): Markup {
  return html`<p class="check"><label><input type="checkbox" name="${name}" value="${value}"${checked ? html` checked` : null}> ${label}</label></p>`;
}

/** `danger`: the button of what cannot be taken back. The browser asks once more. */
export function button(
  text: string,
  kind: 'main' | 'plain' | 'danger' = 'main',
  ask: string | null = null,
): Markup {
  return html`<button class="${kind}"${ask === null ? null : html` data-ask="${ask}"`}>${text}</button>`;
}

/** A text to copy: an address, a txid, a link. */
export function copyable(text: string): Markup {
  return html`<span class="copyable"><code>${text}</code><button type="button" class="quiet" data-copy="${text}">Copy</button></span>`;
}

/** A page of ours that is passed on, and looked at. */
export function copyableLink(url: string): Markup {
  return html`<span class="copyable"><a href="${url}"><code>${url}</code></a><button type="button" class="quiet" data-copy="${url}">Copy</button></span>`;
}

/** `2026-11-28 10:15 UTC`; the browser's script shows it in the reader's time zone. */
export function instant(at: Date | null): Markup | null {
  if (at === null) return null;
  const text = at.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** `1,234.56 USD`, rounded down to cents. */
export function usd(micros: bigint): string {
  const cents = (micros < 0n ? -micros : micros) / 10_000n;
  const whole = grouped((cents / 100n).toString());
  return `${micros < 0n ? '-' : ''}${whole}.${(cents % 100n).toString().padStart(2, '0')} USD`;
}

/** Micro-USD of a form's field; null for what is no amount, and below zero. */
export function microUsd(text: string): bigint | null {
  const given = parseDecimal(text);
  const micros = given === null ? null : toUnits(given, FIAT_DECIMALS);
  return micros !== null && micros >= 0n ? micros : null;
}

/** `25.5 usdt_tron`, exact. */
export function amount(units: bigint, asset: { readonly key: string; readonly decimals: number }): string {
  return `${formatUnits(units, asset.decimals)} ${asset.key}`;
}

export function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

export interface Paged {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  /** The pages lead to so many of them; default: to all. */
  readonly reach?: number;
}

/** Links to the pages before and after, with the filter of the present address. */
export function pager({ page, perPage, total, reach = total }: Paged, query: URLSearchParams): Markup | null {
  const last = Math.max(1, Math.ceil(Math.min(total, reach) / perPage));
  const at = (nth: number, text: string): Markup | null => {
    if (nth < 1 || nth > last) return null;
    const wanted = new URLSearchParams(query);
    wanted.delete('done');
    wanted.set('page', String(nth));
    return html`<a href="?${wanted.toString()}">${text}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages of the list"><span>${grouped(String(total))} in all${reach < total ? `, the first ${grouped(String(reach))} are listed` : ''}, page ${String(page)} of ${grouped(String(last))}</span>${at(page - 1, 'Newer')}${at(page + 1, 'Older')}</nav>`;
}

/** The page number of an address; 1 where it is missing or malformed. */
export function pageOf(query: URLSearchParams): number {
  const given = query.get('page') ?? '1';
  return /^[1-9]\d{0,6}$/.test(given) ? Number(given) : 1;
}

function attribute(name: string, value: string | undefined): Markup | null {
  // The names are literals of this file.
  return value === undefined ? null : html` ${name}="${value}"`;
}
