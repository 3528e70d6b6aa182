/** Merchants: the list, making one, and the page of one with its limits and states. */

import type { MerchantChange, MerchantKeys } from '../../../../app/merchants/manage-merchants.ts';
import { isGranted } from '../../../../domain/accounts/role.ts';
import { ENVIRONMENTS } from '../../../../domain/environment.ts';
import { type AppError, appError } from '../../../../domain/errors.ts';
import { KYC_STATES, MERCHANT_STATUSES, type MerchantStatus } from '../../../../domain/merchants/merchant.ts';
import { formatUnits, parseDecimal, toUnits } from '../../../../domain/money/decimal.ts';
import { FEE_BEARERS, PERCENT_DECIMALS } from '../../../../domain/money/fee.ts';
import { checkWebhookUrl } from '../../../../domain/webhooks/webhook-url.ts';
import type { ListedMerchant } from '../../../../ports/operator-queries.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { acted } from '../kit/acted.ts';
import { listed } from '../kit/form-body.ts';
import { notFound } from '../kit/gate.ts';
import {
  area,
  badge,
  button,
  card,
  checkbox,
  choice,
  copyable,
  facts,
  field,
  instant,
  type Tone,
  table,
} from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { wrongSubnets } from '../kit/subnets.ts';
import type { OperatorPages } from './operator-pages.ts';

const DAY_S = 86_400;
const TONES: Readonly<Record<MerchantStatus, Tone>> = {
  active: 'good',
  paused: 'warn',
  pending_verification: 'calm',
  rejected: 'bad',
};

export function merchantRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  const { desk } = of;
  const id = ({ params }: OperatorCall): string => params.id ?? '';
  return [
    ofOperator('operator.read', 'GET', '/merchants', (call) => listPage(of, call)),
    ofOperator('merchants.manage', 'POST', '/merchants', async (call) => {
      const { form, seat } = call;
      const commissionPpm = percentOf(form.optional('commission'));
      if (commissionPpm === 'malformed')
        return listPage(of, call, invalid('The commission must be a percentage.'));
      const fault = placeFault(call);
      if (fault !== null) return listPage(of, call, fault);
      const made = await desk.createMerchant(seat, {
        ...{ name: form.text('name'), callbackUrl: form.optional('callback_url'), commissionPpm },
        ...{ allowedSubnets: [], live: form.isSet('live') },
      });
      return made.ok ? keysPage(call, made.value) : listPage(of, call, made.error);
    }),
    ofOperator('operator.read', 'GET', '/merchants/:id', (call) => merchantPage(of, call)),
    ofOperator('merchants.manage', 'POST', '/merchants/:id', async (call) => {
      const change = changeOf(call);
      if ('code' in change) return merchantPage(of, call, change);
      return acted(call, desk.changeMerchant(call.seat, id(call), change), {
        ...{ at: `/merchants/${id(call)}`, code: 'saved' },
        refused: (problem) => merchantPage(of, call, problem),
      });
    }),
    ofOperator('merchants.manage', 'POST', '/merchants/:id/verify', async (call) => {
      const done = await desk.verifyMerchant(call.seat, id(call));
      if (!done.ok) return merchantPage(of, call, done.error);
      const { issued } = done.value;
      return issued === null
        ? call.shell.done(`${call.base}/merchants/${id(call)}`, 'merchant_verified')
        : secretPage(call, [
            ['Live API key', issued.key],
            ['Live webhook secret', issued.secret],
          ]);
    }),
    ofOperator('merchants.manage', 'POST', '/merchants/:id/key', async (call) => {
      const environment = ENVIRONMENTS.find((one) => one === call.form.text('environment')) ?? 'sandbox';
      const overlapSeconds = call.form.isSet('overlap') ? DAY_S : 0;
      const done = await desk.rotateKey(call.seat, { merchantId: id(call), environment, overlapSeconds });
      return done.ok
        ? secretPage(call, [[`API key (${environment})`, done.value.key]])
        : merchantPage(of, call, done.error);
    }),
  ];
}

const invalid = (message: string): AppError => appError('VALIDATION_ERROR', message);

/** What is wrong with the merchant's name, or with where its webhooks go. */
function placeFault({ form }: OperatorCall): AppError | null {
  if (form.optional('name') === null) return invalid('Give a name.');
  const callbackUrl = form.optional('callback_url');
  const fault = callbackUrl === null ? null : checkWebhookUrl(callbackUrl);
  return fault === null ? null : invalid(`Webhooks: ${fault}.`);
}

/** Millionths; null where nothing was given. */
function percentOf(text: string | null): bigint | null | 'malformed' {
  if (text === null) return null;
  const given = parseDecimal(text);
  const ppm = given === null ? null : toUnits(given, PERCENT_DECIMALS);
  return ppm === null || ppm < 0n || ppm >= 1_000_000n ? 'malformed' : ppm;
}

function changeOf(call: OperatorCall): MerchantChange | AppError {
  const { form } = call;
  const commissionPpm = percentOf(form.optional('commission'));
  if (commissionPpm === 'malformed' || commissionPpm === null)
    return invalid('The commission must be a percentage, 0.5 for example.');
  const fault = placeFault(call);
  if (fault !== null) return fault;
  const status = MERCHANT_STATUSES.find((one) => one === form.text('status'));
  const kyc = KYC_STATES.find((one) => one === form.text('kyc'));
  const defaultFeeBearer = FEE_BEARERS.find((one) => one === form.text('fee_bearer'));
  const subnets = listed(form.optional('subnets')) ?? [];
  const wrong = wrongSubnets(subnets);
  if (wrong !== null) return wrong;
  return {
    ...{ name: form.text('name'), callbackUrl: form.optional('callback_url'), commissionPpm },
    ...(status === undefined ? {} : { status }),
    ...(kyc === undefined ? {} : { kyc }),
    ...(defaultFeeBearer === undefined ? {} : { defaultFeeBearer }),
    payoutWebhooks: form.isSet('payout_webhooks'),
    allowedSubnets: subnets,
  };
}

async function listPage(
  { operatorQueries }: OperatorPages,
  { shell, base, seat, query, form }: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const wanted = (query.get('q') ?? '').toLowerCase();
  const merchants = (await operatorQueries.merchants()).filter(
    ({ name, id }) => name.toLowerCase().includes(wanted) || id === wanted,
  );
  const body = html`<form method="get" class="row">${field('q', 'Name or id', { value: query.get('q') })}${button('Find', 'plain')}</form>
${table(
  merchants,
  [
    { title: 'Name', cell: ({ id, name }) => html`<a href="${base}/merchants/${id}">${name}</a>` },
    { title: 'State', cell: ({ status }) => badge(status, TONES[status]) },
    { title: 'KYC', cell: ({ kyc }) => badge(kyc, kyc === 'approved' ? 'good' : 'warn') },
    {
      title: 'Commission',
      align: 'end',
      cell: ({ commissionPpm }) => `${formatUnits(commissionPpm, PERCENT_DECIMALS)} %`,
    },
    { title: 'Made', cell: ({ createdAt }) => instant(createdAt) },
  ],
  { empty: 'No merchant fits.', caption: 'Merchants' },
)}
${
  isGranted(seat.role, 'merchants.manage')
    ? card(
        'Make a merchant',
        shell.form(
          `${base}/merchants`,
          html`${field('name', 'Name', { required: true, maxLength: 100, value: form.text('name') })}${field('callback_url', 'Webhooks go to', { type: 'url', value: form.text('callback_url') })}${field('commission', 'Commission, percent', { inputmode: 'decimal', value: form.text('commission'), hint: 'Empty: the usual one.' })}${checkbox('live', 'Verified already: issue a live key')}${button('Make it')}`,
        ),
      )
    : null
}`;
  return shell.page({
    title: 'Merchants',
    body,
    problem,
    ...(problem === null ? {} : { status: 422 }),
  });
}

function keysPage(call: OperatorCall, keys: MerchantKeys): Response {
  return secretPage(call, [
    ['Sandbox API key', keys.sandboxKey],
    ['Sandbox webhook secret', keys.sandboxSecret],
    ...(keys.liveKey === null ? [] : [['Live API key', keys.liveKey] as const]),
    ...(keys.liveSecret === null ? [] : [['Live webhook secret', keys.liveSecret] as const]),
  ]);
}

function secretPage(
  { shell, base }: OperatorCall,
  secrets: readonly (readonly [name: string, secret: string])[],
): Response {
  return shell.page({
    title: 'Keys',
    body: html`<p class="message warn">These are shown only now.</p>${facts(secrets.map(([name, secret]) => [name, copyable(secret)] as const))}<p><a href="${base}/merchants">To the merchants</a></p>`,
  });
}

async function merchantPage(
  { operatorQueries }: OperatorPages,
  call: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { shell, base, seat, params } = call;
  const merchant = (await operatorQueries.merchants()).find((one) => one.id === params.id);
  if (merchant === undefined) return notFound(shell);
  const may = isGranted(seat.role, 'merchants.manage');
  const at = `${base}/merchants/${merchant.id}`;
  const body = html`${card('Details', standing(merchant))}
${
  may
    ? html`${
        merchant.status === 'active' && merchant.kyc === 'approved'
          ? null
          : card(
              'Verify',
              shell.form(
                `${at}/verify`,
                button(
                  'Make it active and verified',
                  'main',
                  'Make it active, and issue a live key if it has none?',
                ),
              ),
            )
      }${card('Change it', changeForm(call, merchant))}${card(
        'New API key',
        shell.form(
          `${at}/key`,
          html`${choice(
            'environment',
            'Environment',
            ENVIRONMENTS.map((one) => [one, one] as const),
          )}${checkbox('overlap', 'The old one works for a day', { checked: true })}${button('Make a new key', 'plain', 'Make a new API key?')}`,
          { class: 'row' },
        ),
      )}`
    : null
}<p><a href="${base}/audit?merchant=${merchant.id}">What was changed</a> · <a href="${base}/search?q=${merchant.id}">Its cases</a></p>`;
  return shell.page({
    title: merchant.name,
    body,
    problem,
    ...(problem === null ? {} : { status: 422 }),
  });
}

function standing(merchant: ListedMerchant): Markup {
  return facts([
    ['Id', copyable(merchant.id)],
    ['State', badge(merchant.status, TONES[merchant.status])],
    ['KYC', badge(merchant.kyc, merchant.kyc === 'approved' ? 'good' : 'warn')],
    ['Webhooks go to', merchant.callbackUrl ?? 'nowhere'],
    ['Live key', merchant.hasLiveKey ? 'yes' : 'no'],
    ['Older live key until', instant(merchant.oldLiveKeyUntil)],
    ['Older sandbox key until', instant(merchant.oldSandboxKeyUntil)],
    ['Made', instant(merchant.createdAt)],
  ]);
}

function changeForm({ shell, base }: OperatorCall, merchant: ListedMerchant): Markup {
  return shell.form(
    `${base}/merchants/${merchant.id}`,
    html`${field('name', 'Name', { required: true, value: merchant.name })}${choice(
      'status',
      'State',
      MERCHANT_STATUSES.map((one) => [one, one] as const),
      { chosen: merchant.status, hint: 'paused: live requests are refused.' },
    )}${choice(
      'kyc',
      'KYC',
      KYC_STATES.map((one) => [one, one] as const),
      { chosen: merchant.kyc },
    )}${field('commission', 'Commission, percent', { inputmode: 'decimal', value: formatUnits(merchant.commissionPpm, PERCENT_DECIMALS) })}${choice(
      'fee_bearer',
      'Payment fee borne by',
      FEE_BEARERS.map((one) => [one, one] as const),
      { chosen: merchant.defaultFeeBearer },
    )}${field('callback_url', 'Webhooks go to', { type: 'url', value: merchant.callbackUrl })}${checkbox('payout_webhooks', 'Also of payouts', { checked: merchant.payoutWebhooks })}${area('subnets', 'Addresses allowed to pay out', { value: merchant.allowedSubnets.join('\n'), hint: 'Addresses or CIDR ranges, one per line.' })}${button('Save')}`,
  );
}
