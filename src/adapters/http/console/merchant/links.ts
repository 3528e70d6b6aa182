/** A merchant's payment links: the list, making one, and the page of one. */

import { isGranted } from '../../../../domain/accounts/role.ts';
import { FIAT_CURRENCIES, FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import {
  LINK_FIELDS,
  LINK_MODES,
  type LinkField,
  type LinkMode,
  type PaymentLink,
} from '../../../../domain/links/payment-link.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import type { JsonObject, JsonValue } from '../../../../domain/money/json.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { asId } from '../../kit/input/query.ts';
import { linkChangeBody, newLinkBody } from '../../links/link-body.ts';
import type { Form } from '../kit/form.ts';
import { formBody, given, listed } from '../kit/form-body.ts';
import { type FormParts, formParts } from '../kit/form-parts.ts';
import { notFound } from '../kit/gate.ts';
import {
  badge,
  button,
  card,
  checkbox,
  copyable,
  facts,
  instant,
  pageOf,
  pager,
  table,
} from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import type { MerchantPages } from './merchant-pages.ts';

const PER_PAGE = 25;
const readNew = formBody(newLinkBody);
const readChange = formBody(linkChangeBody);
const TEXTS = [
  'description',
  'amount',
  'min_amount',
  'max_amount',
  'stock',
  'success_url',
  'notify_url',
  'extra',
];
const MODES: Readonly<Record<LinkMode, string>> = {
  payment: 'payment',
  donation: 'donation',
  point_of_sale: 'till',
};
const ASKED: Readonly<Record<LinkField, string>> = { name: 'Name', email: 'E-mail', note: 'Note' };

export function linkRoutesOfMerchant(of: MerchantPages): readonly ConsoleRoute[] {
  return [
    ofMerchant('payments.read', 'GET', '/links', (call) => listPage(of, call)),
    ofMerchant('payments.create', 'GET', '/links/new', (call) => newPage(call)),
    ofMerchant('payments.create', 'POST', '/links/new', async (call) => {
      const { form, desk, shell, base } = call;
      const body = { ...settingsOf(form, false), ...given(form, ['title', 'mode', 'fiat_currency', 'slug']) };
      const input = readNew(body, of.api);
      if (!input.ok) return newPage(call, input.error);
      const made = await of.desk.createLink(desk, input.value);
      return made.ok
        ? shell.done(`${base}/links/${made.value.id}`, 'link_created')
        : newPage(call, made.error);
    }),
    ofMerchant('payments.read', 'GET', '/links/:id', (call) => linkPage(of, call)),
    ofMerchant('payments.create', 'POST', '/links/:id', async (call) => {
      const { form, desk, shell, base, params } = call;
      const body: JsonObject = {
        ...settingsOf(form, true),
        ...given(form, ['title']),
        active: form.isSet('active'),
      };
      const change = readChange(body, of.api);
      if (!change.ok) return linkPage(of, call, change.error);
      const { id = '' } = params;
      const done = await of.desk.changeLink(desk, id, change.value);
      return done.ok ? shell.done(`${base}/links/${id}`, 'saved') : linkPage(of, call, done.error);
    }),
  ];
}

/** `clears`: empty fields remove what was set. */
function settingsOf(form: Form, clears: boolean): Record<string, JsonValue> {
  const texts = clears
    ? Object.fromEntries(TEXTS.map((name) => [name, form.optional(name)]))
    : given(form, TEXTS);
  const ends = form.optional('expires_at');
  const numbers = (name: string): readonly string[] => listed(form.optional(name)) ?? [];
  return {
    ...texts,
    ...(ends === null ? (clears ? { expires_at: null } : {}) : { expires_at: `${ends}:00Z` }),
    ...(listed(form.optional('accepted_coins')) === null
      ? clears
        ? { accepted_coins: null }
        : {}
      : { accepted_coins: listed(form.optional('accepted_coins')) }),
    fields: LINK_FIELDS.filter((one) => form.all('fields').includes(one)),
    suggested_amounts: numbers('suggested_amounts'),
    tips: numbers('tips'),
  };
}

async function listPage({ application, api }: MerchantPages, call: MerchantCall): Promise<Response> {
  const { query, shell, desk, base } = call;
  const page = pageOf(query);
  const list = await application.queries.paymentLinks(desk.caller.scope, { page, perPage: PER_PAGE });
  const body = html`${isGranted(desk.role, 'payments.create') ? html`<p><a class="button" href="${base}/links/new">Make a payment link</a></p>` : null}${table(
    list.rows,
    [
      { title: 'Title', cell: ({ id, title }) => html`<a href="${base}/links/${id}">${title}</a>` },
      { title: 'Kind', cell: ({ mode }) => MODES[mode] },
      { title: 'Amount', align: 'end', cell: (link) => amountOf(link) },
      { title: 'State', cell: ({ active }) => (active ? badge('open', 'good') : badge('closed', 'plain')) },
      { title: 'Page', cell: ({ slug }) => copyable(`${api.checkoutUrl}/l/${slug}`) },
      { title: 'Made', cell: ({ createdAt }) => instant(createdAt) },
    ],
    { empty: 'There are no payment links yet.', caption: 'Payment links' },
  )}${pager({ page, perPage: PER_PAGE, total: list.total }, query)}`;
  return shell.page({ title: 'Payment links', body });
}

function amountOf({ amountMicros, fiatCurrency }: PaymentLink): string {
  return amountMicros === null
    ? `${fiatCurrency}, the customer enters it`
    : `${formatUnits(amountMicros, FIAT_DECIMALS)} ${fiatCurrency}`;
}

function newPage({ shell, base, form }: MerchantCall, problem: Problem | null = null): Response {
  const parts = formParts(problem);
  const { field, choice } = parts;
  const body = shell.form(
    `${base}/links/new`,
    html`${choice(
      'mode',
      'Kind',
      LINK_MODES.map((mode) => [mode, MODES[mode]] as const),
      { chosen: form.text('mode') },
    )}${choice(
      'fiat_currency',
      'Currency',
      FIAT_CURRENCIES.map((one) => [one, one] as const),
      { chosen: form.text('fiat_currency') || 'USD' },
    )}${field('slug', 'Last part of its address', { value: form.text('slug'), hint: 'a-z, 0-9 and -. Empty: a random one. A till has always a random one.' })}${settingFields(parts, (name) => form.text(name), form.all('fields'))}${button('Make the link')}`,
  );
  return shell.page({
    title: 'Make a payment link',
    body,
    problem: parts.problem(),
    ...(problem === null ? {} : { status: 422 }),
  });
}

function settingFields(
  { field, area }: FormParts,
  value: (name: string) => string,
  fields: readonly string[],
): Markup {
  return html`${field('title', 'Title', { required: true, maxLength: 150, value: value('title') })}${area('description', 'Description', { value: value('description') })}${field('amount', 'Amount', { inputmode: 'decimal', value: value('amount'), hint: 'Empty: the customer enters it.' })}${field('min_amount', 'Least amount', { inputmode: 'decimal', value: value('min_amount') })}${field('max_amount', 'Most', { inputmode: 'decimal', value: value('max_amount') })}${field('suggested_amounts', 'Suggested amounts', { value: value('suggested_amounts'), hint: '5, 10, 25' })}${field('tips', 'Tips of a till, percent', { value: value('tips'), hint: '5, 10, 15' })}${field('accepted_coins', 'Assets that the customer may choose', { value: value('accepted_coins'), hint: 'usdt_tron, btc_bitcoin. Empty: all.' })}${field('expires_at', 'Ends (UTC)', { type: 'datetime-local', value: value('expires_at') })}${field('stock', 'Most payments', { inputmode: 'numeric', value: value('stock') })}<fieldset><legend>The customer is asked</legend>${LINK_FIELDS.map(
    (one) => checkbox('fields', ASKED[one], { value: one, checked: fields.includes(one) }),
  )}</fieldset>${field('success_url', 'Leads to, after the payment', { type: 'url', value: value('success_url') })}${field('notify_url', 'Webhooks of its invoices go to', { type: 'url', value: value('notify_url') })}${field('extra', 'Order reference of its invoices', { value: value('extra') })}`;
}

async function linkPage(
  { application, api }: MerchantPages,
  { shell, desk, base, params, form }: MerchantCall,
  problem: Problem | null = null,
): Promise<Response> {
  const id = asId(params.id ?? '');
  const link = id === null ? null : await application.queries.paymentLink(desk.caller.scope, id);
  if (link === null) return notFound(shell);
  const url = `${api.checkoutUrl}/l/${link.slug}`;
  const parts = formParts(problem);
  // What was typed stays, until it is taken.
  const typed =
    problem === null
      ? { value: valuesOf(link), fields: link.fields, active: link.active }
      : {
          value: (name: string) => form.text(name),
          fields: form.all('fields'),
          active: form.isSet('active'),
        };
  const body = html`${card(
    'Details',
    facts([
      ['Page', copyable(url)],
      ['Kind', MODES[link.mode]],
      ['Amount', amountOf(link)],
      ['State', link.active ? badge('open', 'good') : badge('closed', 'plain')],
      ['QR code to print', html`<a href="${url}/qr.svg">SVG</a> <a href="${url}/qr.png">PNG</a>`],
      ['HTML button', copyable(`<a href="${url}">Pay</a>`)],
      ['Made', instant(link.createdAt)],
      ['Changed', instant(link.updatedAt)],
    ]),
  )}${
    isGranted(desk.role, 'payments.create')
      ? card(
          'Change it',
          shell.form(
            `${base}/links/${link.id}`,
            html`${settingFields(parts, typed.value, typed.fields)}${checkbox('active', 'It takes payments', { checked: typed.active })}${button('Save')}`,
          ),
        )
      : null
  }`;
  return shell.page({
    title: link.title,
    body,
    problem: parts.problem(),
    ...(problem === null ? {} : { status: 422 }),
  });
}

function valuesOf(link: PaymentLink): (name: string) => string {
  const micros = (amount: bigint | null): string =>
    amount === null ? '' : formatUnits(amount, FIAT_DECIMALS);
  const values: Readonly<Record<string, string>> = {
    ...{ title: link.title, description: link.description ?? '', amount: micros(link.amountMicros) },
    ...{ min_amount: micros(link.leastMicros), max_amount: micros(link.mostMicros) },
    suggested_amounts: link.suggestedMicros.map(micros).join(', '),
    tips: link.tips.join(', '),
    accepted_coins: (link.acceptedCoins ?? []).join(', '),
    expires_at: link.expiresAt?.toISOString().slice(0, 16) ?? '',
    stock: link.stock === null ? '' : String(link.stock),
    ...{ success_url: link.successUrl ?? '', notify_url: link.notifyUrl ?? '', extra: link.extra ?? '' },
  };
  return (name) => values[name] ?? '';
}
