/** A merchant's settings: webhooks, fees, keys and secrets, allowed addresses, approvals. */

import type { KeyStanding } from '../../../../app/console/merchant-desk.ts';
import { isGranted } from '../../../../domain/accounts/role.ts';
import { FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import { validationError } from '../../../../domain/errors.ts';
import { INVOICE_STATUSES } from '../../../../domain/invoices/invoice.ts';
import type { Merchant } from '../../../../domain/merchants/merchant.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import { WEBHOOK_FORMATS } from '../../../../domain/webhooks/webhook-format.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { type Leading, ordered } from '../kit/acted.ts';
import { listed } from '../kit/form-body.ts';
import { formParts } from '../kit/form-parts.ts';
import { badge, button, card, choice, copyable, facts, instant, microUsd, usd } from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { wrongSubnets } from '../kit/subnets.ts';
import { bearerWord } from '../kit/words.ts';
import { formIdOf, type MerchantPages } from './merchant-pages.ts';
import { defaultFields, type SettingsForm, settingsOf } from './settings-form.ts';

const HOUR_S = 3_600;
const OVERLAPS = [
  ['0', 'none: the old one ends now'],
  [String(24 * HOUR_S), 'a day'],
  [String(7 * 24 * HOUR_S), 'a week'],
] as const;

export function settingsRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  const { desk } = of;
  const saved = (call: MerchantCall): Response => call.shell.done(`${call.base}/settings`, 'saved');
  const refused = (call: MerchantCall, fault: Problem, form: FormName | null = null) =>
    settingsPage(of, call, { fault, form });
  const lead = (call: MerchantCall, form: FormName): Leading => ({
    ...{ at: '/settings', code: 'saved' },
    refused: (problem) => refused(call, problem, form),
  });
  return [
    ofMerchant('settings.read', 'GET', '/settings', (call) => settingsPage(of, call)),
    ofMerchant('settings.change', 'POST', '/settings', async (call) => {
      const change = settingsOf(call, of.application.catalog);
      if ('code' in change) return refused(call, change, 'defaults');
      const done = await desk.changeSettings(call.desk, change);
      return done.ok ? saved(call) : refused(call, done.error, 'defaults');
    }),
    ofMerchant('settings.change', 'POST', '/settings/test-webhook', async (call) => {
      const { form } = call;
      const done = await desk.sendTestWebhook(call.desk, {
        url: form.optional('url'),
        status: INVOICE_STATUSES.find((one) => one === form.text('status')) ?? null,
        format: WEBHOOK_FORMATS.find((one) => one === form.text('format')) ?? null,
      });
      if (!done.ok) return refused(call, done.error, 'test');
      const { delivered, statusCode, error } = done.value;
      const answer = statusCode === null ? (error ?? 'no answer') : `status ${statusCode}`;
      return settingsPage(of, call, {
        form: 'test',
        told: `${delivered ? 'Delivered' : 'Not delivered'}: ${answer}`,
      });
    }),
    ofMerchant('keys.manage', 'POST', '/settings/key', async (call) => {
      const done = await desk.rotateKey(call.desk, overlapOf(call));
      return done.ok ? shown(call, 'API key', done.value.key) : refused(call, done.error);
    }),
    ofMerchant('keys.manage', 'POST', '/settings/key/end', async (call) => {
      const done = await desk.endKeyOverlap(call.desk, 0);
      return done.ok ? saved(call) : refused(call, done.error);
    }),
    ofMerchant('keys.manage', 'POST', '/settings/secret/show', async (call) => {
      const done = await desk.showWebhookSecret(call.desk);
      return done.ok ? shown(call, 'Webhook secret', done.value.secret) : refused(call, done.error);
    }),
    ofMerchant('keys.manage', 'POST', '/settings/secret', async (call) => {
      const done = await desk.rotateWebhookSecret(call.desk, overlapOf(call));
      return done.ok ? shown(call, 'Webhook secret', done.value.secret) : refused(call, done.error);
    }),
    ofMerchant('keys.manage', 'POST', '/settings/secret/end', async (call) => {
      const done = await desk.endSecretOverlap(call.desk, 0);
      return done.ok ? saved(call) : refused(call, done.error);
    }),
    ofMerchant('keys.manage', 'POST', '/settings/subnets', async (call) => {
      const subnets = listed(call.form.optional('subnets')) ?? [];
      const wrong = wrongSubnets(subnets);
      if (wrong !== null) return refused(call, wrong, 'subnets');
      return ordered(
        call,
        desk.changeAllowedSubnets(call.desk, subnets, formIdOf(call)),
        lead(call, 'subnets'),
      );
    }),
    ofMerchant('users.manage', 'POST', '/settings/approvals', async (call) => {
      const text = call.form.optional('limit');
      const limit = text === null ? null : microUsd(text);
      if (text !== null && limit === null)
        return refused(
          call,
          validationError([{ field: 'limit', message: 'must be an amount of USD' }]),
          'approvals',
        );
      return ordered(
        call,
        desk.changeApprovalLimit(call.desk, limit, formIdOf(call)),
        lead(call, 'approvals'),
      );
    }),
  ];
}

function overlapOf({ form }: MerchantCall): number {
  return Number(OVERLAPS.find(([seconds]) => seconds === form.text('overlap'))?.[0] ?? 0);
}

/** A secret that is shown once. */
function shown({ shell, base }: MerchantCall, what: string, secret: string): Response {
  return shell.page({
    title: what,
    body: html`<p class="message warn">Store it now. An API key is shown only once.</p><p>${copyable(secret)}</p><p><a href="${base}/settings">Back to the settings</a></p>`,
  });
}

async function settingsPage(
  { desk }: MerchantPages,
  call: MerchantCall,
  { fault = null, told = null, form = null }: Sent = {},
): Promise<Response> {
  const { shell, base } = call;
  const { merchant } = call.desk.caller;
  const may = (permission: Parameters<typeof isGranted>[1]): boolean => isGranted(call.desk.role, permission);
  const keys = await desk.keys(call.desk);
  const parts = formParts(fault);
  const untouched = formParts(null);
  const partsOf = (name: FormName): SettingsForm => ({
    ...(form === name ? parts : untouched),
    value: (input, stored) => (form === name ? call.form.text(input) : (stored ?? '')),
  });
  const body = html`${told === null ? null : html`<p class="message calm" role="status">${told}</p>`}
<p class="actions"><a class="button" href="${base}/settings/brand">How customers see you</a></p>
${card(
  'Webhooks and fees',
  may('settings.change')
    ? shell.form(
        `${base}/settings`,
        defaultsForm(
          merchant,
          partsOf('defaults'),
          form === 'defaults' ? call.form.isSet('payout_webhooks') : merchant.payoutWebhooks,
        ),
      )
    : facts([
        ['Webhooks go to', merchant.callbackUrl ?? 'nowhere'],
        ['Payment fee borne by', bearerWord(merchant.defaultFeeBearer)],
      ]),
)}
${may('settings.change') ? card('Send a test webhook', testForm(call, partsOf('test'))) : null}
${may('keys.manage') ? keyCards(call, keys) : null}
${may('keys.manage') ? card('Addresses allowed to pay out by the API', subnetForm(call, partsOf('subnets'))) : null}
${may('users.manage') ? card('Second person for money out', approvalForm(call, partsOf('approvals'))) : null}`;
  return shell.page({
    title: 'Settings',
    body,
    problem: parts.problem(),
    ...(fault === null ? {} : { status: 422 }),
  });
}

const BEARERS = [
  ['client', 'the customer'],
  ['merchant', 'you'],
] as const;

function defaultsForm(merchant: Merchant, parts: SettingsForm, payoutWebhooks: boolean): Markup {
  const chosen = parts.value('fee_bearer', merchant.defaultFeeBearer);
  return html`${defaultFields(merchant, parts, payoutWebhooks)}${parts.choice('fee_bearer', 'Payment fee borne by', BEARERS, { chosen })}${button('Save')}`;
}

/** The page's forms: one of them may have been sent. */
type FormName = 'defaults' | 'test' | 'subnets' | 'approvals';

interface Sent {
  readonly fault?: Problem | null;
  readonly told?: string | null;
  readonly form?: FormName | null;
}

function subnetForm({ shell, base, desk }: MerchantCall, { area, value }: SettingsForm): Markup {
  return shell.form(
    `${base}/settings/subnets`,
    html`${shell.formId()}${area('subnets', 'Addresses or CIDR ranges', { value: value('subnets', desk.caller.merchant.allowedSubnets.join('\n')), hint: 'One per line. Empty: none.' })}${button('Save')}`,
  );
}

function testForm({ shell, base }: MerchantCall, { field, choice, value }: SettingsForm): Markup {
  return shell.form(
    `${base}/settings/test-webhook`,
    html`${field('url', 'URL', { type: 'url', value: value('url', null), hint: 'Empty: the one above.' })}${choice('status', 'Status', [['', 'a plain test'], ...INVOICE_STATUSES.map((one) => [one, one] as const)], { chosen: value('status', null) })}${choice(
      'format',
      'Format',
      WEBHOOK_FORMATS.map((one) => [one, one] as const),
      { id: 'format-tested', chosen: value('format', null) },
    )}${button('Send', 'plain')}`,
  );
}

function keyCards({ shell, base }: MerchantCall, keys: KeyStanding): Markup {
  const overlap = (id: string): Markup => choice('overlap', 'The old one works for', OVERLAPS, { id });
  return html`${card(
    'API key',
    html`${facts([
      ['Issued', instant(keys.keySince) ?? 'none yet'],
      ['An older one works until', instant(keys.olderKeyUntil)],
    ])}${shell.form(`${base}/settings/key`, html`${overlap('overlap-key')}${button('Make a new key', 'plain', 'Make a new API key?')}`, { class: 'row' })}${
      keys.olderKeyUntil === null
        ? null
        : shell.form(`${base}/settings/key/end`, button('End the older key now', 'danger'))
    }`,
  )}${card(
    'Webhook secret',
    html`${facts([
      ['Issued', instant(keys.secretSince) ?? 'none yet'],
      ['An older one signs until', instant(keys.olderSecretUntil)],
    ])}<div class="actions">${shell.form(`${base}/settings/secret/show`, button('Show it', 'plain'), { class: 'inline' })}${shell.form(`${base}/settings/secret`, html`${overlap('overlap-secret')}${button('Make a new secret', 'plain', 'Make a new webhook secret?')}`, { class: 'inline' })}</div>${
      keys.olderSecretUntil === null
        ? null
        : shell.form(`${base}/settings/secret/end`, button('End the older secret now', 'danger'))
    }`,
  )}`;
}

function approvalForm({ shell, base, desk }: MerchantCall, { field, value }: SettingsForm): Markup {
  const { approvalAboveMicroUsd: limit } = desk.caller.merchant;
  return html`<p>${limit === null ? badge('off', 'warn') : `Above ${usd(limit)} within a day, a second person has to approve it. Neither of the two may have let the other in.`}</p>${shell.form(
    `${base}/settings/approvals`,
    html`${shell.formId()}${field('limit', 'Above, USD', { inputmode: 'decimal', value: value('limit', limit === null ? null : formatUnits(limit, FIAT_DECIMALS)), hint: 'Empty: never. Raising it needs a second person, too.' })}${button('Save')}`,
  )}`;
}
