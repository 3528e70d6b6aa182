/** The page of one merchant, for operators: its standing, and every change of it. */

import type { MerchantChange } from '../../../../../app/merchants/manage-merchants.ts';
import { isGranted } from '../../../../../domain/accounts/role.ts';
import { FIAT_DECIMALS } from '../../../../../domain/catalog/fiat.ts';
import { type AppError, appError } from '../../../../../domain/errors.ts';
import { KYC_STATES, MERCHANT_STATUSES } from '../../../../../domain/merchants/merchant.ts';
import { formatUnits } from '../../../../../domain/money/decimal.ts';
import { FEE_BEARERS, PERCENT_DECIMALS } from '../../../../../domain/money/fee.ts';
import type { ListedMerchant } from '../../../../../ports/operator-queries.ts';
import { html, type Markup } from '../../../checkout/page/html.ts';
import { asId } from '../../../kit/input/query.ts';
import { acted } from '../../kit/acted.ts';
import { listed } from '../../kit/form-body.ts';
import { type FormParts, formParts } from '../../kit/form-parts.ts';
import { notFound } from '../../kit/gate.ts';
import { badge, button, card, copyable, facts, instant, microUsd } from '../../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../../kit/route.ts';
import type { Problem } from '../../kit/shell.ts';
import { wrongSubnets } from '../../kit/subnets.ts';
import { defaultFields, settingsOf } from '../../merchant/settings-form.ts';
import type { OperatorPages } from '../operator-pages.ts';
import { invalid, MERCHANT_TONES, percentOf, placeFault } from './merchant-fields.ts';
import { keyCards, merchantKeyRoutes, secretPage } from './merchant-keys.ts';

export function merchantPageRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  const { desk, catalog } = of;
  const id = ({ params }: OperatorCall): string => params.id ?? '';
  const saved = (call: OperatorCall) => ({
    ...{ at: `/merchants/${id(call)}`, code: 'saved' as const },
    refused: (problem: Problem) => merchantPage(of, call, problem),
  });
  return [
    ofOperator('operator.read', 'GET', '/merchants/:id', (call) => merchantPage(of, call)),
    ofOperator('merchants.manage', 'POST', '/merchants/:id', async (call) => {
      const change = changeOf(call, catalog);
      if ('code' in change) return merchantPage(of, call, change);
      return acted(call, desk.changeMerchant(call.seat, id(call), change), saved(call));
    }),
    ofOperator('merchants.manage', 'POST', '/merchants/:id/approvals', async (call) => {
      const text = call.form.optional('limit');
      const limit = text === null ? null : microUsd(text);
      if (text !== null && limit === null)
        return merchantPage(of, call, invalid('limit', 'must be an amount of USD'));
      const change = { approvalAboveMicroUsd: limit };
      return acted(call, desk.changeMerchant(call.seat, id(call), change), saved(call));
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
    ...merchantKeyRoutes(desk, (call, problem) => merchantPage(of, call, problem)),
  ];
}

function changeOf(call: OperatorCall, catalog: OperatorPages['catalog']): MerchantChange | AppError {
  const { form } = call;
  const commissionPpm = percentOf(form.optional('commission'));
  if (commissionPpm === 'malformed' || commissionPpm === null)
    return invalid('commission', 'must be a percentage, 0.5 for example');
  const fault = placeFault(call);
  if (fault !== null) return fault;
  const settings = settingsOf(call, catalog);
  if ('code' in settings) return appError('VALIDATION_ERROR', settings.message, settings.details);
  const status = MERCHANT_STATUSES.find((one) => one === form.text('status'));
  const kyc = KYC_STATES.find((one) => one === form.text('kyc'));
  const subnets = listed(form.optional('subnets')) ?? [];
  const wrong = wrongSubnets(subnets);
  if (wrong !== null) return wrong;
  return {
    ...settings,
    ...{ name: form.text('name'), commissionPpm, allowedSubnets: subnets },
    ...(status === undefined ? {} : { status }),
    ...(kyc === undefined ? {} : { kyc }),
  };
}

/** `problem`: why what was asked for was not done. */
async function merchantPage(
  { operatorQueries }: OperatorPages,
  call: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { shell, base, seat, params } = call;
  const id = asId(params.id ?? '');
  const merchant = id === null ? null : await operatorQueries.merchant(id);
  if (merchant === null) return notFound(shell);
  const may = isGranted(seat.role, 'merchants.manage');
  const at = `${base}/merchants/${merchant.id}`;
  const parts = formParts(problem);
  const isVerified = merchant.status === 'active' && merchant.kyc === 'approved';
  const verify = button(
    'Make it active and verified',
    'main',
    'Make it active, and issue a live key if it has none?',
  );
  const body = html`<p class="actions"><a class="button" href="${at}/brand">How customers see it</a>${may ? html`<a class="button" href="${at}/people">Its users</a>` : null}</p>
${card('Details', standing(merchant))}
${
  may
    ? html`${isVerified ? null : card('Verify', shell.form(`${at}/verify`, verify))}${card('Change it', changeForm(call, merchant, parts))}${card('Second person for money out', approvalForm(call, merchant, parts))}${keyCards(call, at)}`
    : null
}<p><a href="${base}/audit?merchant=${merchant.id}">What was changed</a> · <a href="${base}/search?q=${merchant.id}">Its cases</a> · <a href="${base}/payouts?merchant=${merchant.id}">Its payouts</a></p>`;
  return shell.page({
    title: merchant.name,
    body,
    problem: parts.problem(),
    ...(problem === null ? {} : { status: 422 }),
  });
}

function standing(merchant: ListedMerchant): Markup {
  return facts([
    ['Id', copyable(merchant.id)],
    ['State', badge(merchant.status, MERCHANT_TONES[merchant.status])],
    ['KYC', badge(merchant.kyc, merchant.kyc === 'approved' ? 'good' : 'warn')],
    ['Webhooks go to', merchant.callbackUrl ?? 'nowhere'],
    ['Live key', merchant.hasLiveKey ? 'yes' : 'no'],
    ['Older live key until', instant(merchant.oldLiveKeyUntil)],
    ['Older sandbox key until', instant(merchant.oldSandboxKeyUntil)],
    ['Made', instant(merchant.createdAt)],
  ]);
}

function changeForm({ shell, base, form }: OperatorCall, merchant: ListedMerchant, parts: FormParts): Markup {
  const { field, area, choice } = parts;
  // What was typed stays until it is taken: of the page's forms this one has a commission.
  const isSent = form.isSet('commission');
  const value = (name: string, stored: string | null): string => (isSent ? form.text(name) : (stored ?? ''));
  const webhooks = isSent ? form.isSet('payout_webhooks') : merchant.payoutWebhooks;
  return shell.form(
    `${base}/merchants/${merchant.id}`,
    html`${field('name', 'Name', { required: true, value: value('name', merchant.name) })}${choice(
      'status',
      'State',
      MERCHANT_STATUSES.map((one) => [one, one] as const),
      { chosen: value('status', merchant.status), hint: 'paused: live requests are refused.' },
    )}${choice(
      'kyc',
      'KYC',
      KYC_STATES.map((one) => [one, one] as const),
      { chosen: value('kyc', merchant.kyc) },
    )}${field('commission', 'Commission, percent', { inputmode: 'decimal', value: value('commission', formatUnits(merchant.commissionPpm, PERCENT_DECIMALS)) })}${choice(
      'fee_bearer',
      'Payment fee borne by',
      FEE_BEARERS.map((one) => [one, one] as const),
      { chosen: value('fee_bearer', merchant.defaultFeeBearer) },
    )}${defaultFields(merchant, { ...parts, value }, webhooks)}${area('subnets', 'Addresses allowed to pay out', { value: value('subnets', merchant.allowedSubnets.join('\n')), hint: 'Addresses or CIDR ranges, one per line.' })}${button('Save')}`,
  );
}

function approvalForm(
  { shell, base, form }: OperatorCall,
  { id, approvalAboveMicroUsd: limit }: ListedMerchant,
  { field }: FormParts,
): Markup {
  const stored = limit === null ? '' : formatUnits(limit, FIAT_DECIMALS);
  return shell.form(
    `${base}/merchants/${id}/approvals`,
    html`${field('limit', 'Above, USD', {
      inputmode: 'decimal',
      value: form.isSet('limit') ? form.text('limit') : stored,
      hint: 'What one user orders within a day. Empty: never. Ask the merchant first.',
    })}${button('Save', 'plain', 'Change it for the merchant?')}`,
    { class: 'row' },
  );
}
