/** The list of merchants, and making one. */

import type { MerchantKeys } from '../../../../../app/merchants/manage-merchants.ts';
import { isGranted } from '../../../../../domain/accounts/role.ts';
import { formatUnits } from '../../../../../domain/money/decimal.ts';
import { PERCENT_DECIMALS } from '../../../../../domain/money/fee.ts';
import { html } from '../../../checkout/page/html.ts';
import { asId } from '../../../kit/input/query.ts';
import { listed } from '../../kit/form-body.ts';
import { formParts } from '../../kit/form-parts.ts';
import { badge, button, card, checkbox, field, instant, table } from '../../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../../kit/route.ts';
import type { Problem } from '../../kit/shell.ts';
import { wrongSubnets } from '../../kit/subnets.ts';
import type { OperatorPages } from '../operator-pages.ts';
import { invalid, MERCHANT_TONES, percentOf, placeFault } from './merchant-fields.ts';
import { secretPage } from './merchant-keys.ts';

const PER_PAGE = 50;

export function merchantRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  return [
    ofOperator('operator.read', 'GET', '/merchants', (call) => listPage(of, call)),
    ofOperator('merchants.manage', 'POST', '/merchants', async (call) => {
      const { form, seat } = call;
      const commissionPpm = percentOf(form.optional('commission'));
      if (commissionPpm === 'malformed')
        return listPage(of, call, invalid('commission', 'must be a percentage'));
      const allowedSubnets = listed(form.optional('subnets')) ?? [];
      const fault = placeFault(call) ?? wrongSubnets(allowedSubnets);
      if (fault !== null) return listPage(of, call, fault);
      const made = await of.desk.createMerchant(seat, {
        ...{ name: form.text('name'), callbackUrl: form.optional('callback_url'), commissionPpm },
        ...{ allowedSubnets, live: form.isSet('live') },
      });
      return made.ok ? keysPage(call, made.value) : listPage(of, call, made.error);
    }),
  ];
}

async function listPage(
  { operatorQueries }: OperatorPages,
  { shell, base, seat, query, form }: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const wanted = query.get('q')?.trim() || null;
  const before = asId(query.get('before') ?? '');
  const found = await operatorQueries.merchantPage(wanted, { before, limit: PER_PAGE + 1 });
  const merchants = found.slice(0, PER_PAGE);
  const onward = new URLSearchParams(wanted === null ? {} : { q: wanted });
  onward.set('before', merchants.at(-1)?.id ?? '');
  const parts = formParts(problem);
  const body = html`<form method="get" class="row">${field('q', 'Name or id', { value: query.get('q') })}${button('Find', 'plain')}</form>
${table(
  merchants,
  [
    { title: 'Name', cell: ({ id, name }) => html`<a href="${base}/merchants/${id}">${name}</a>` },
    { title: 'State', cell: ({ status }) => badge(status, MERCHANT_TONES[status]) },
    { title: 'KYC', cell: ({ kyc }) => badge(kyc, kyc === 'approved' ? 'good' : 'warn') },
    {
      title: 'Commission',
      align: 'end',
      cell: ({ commissionPpm }) => `${formatUnits(commissionPpm, PERCENT_DECIMALS)} %`,
    },
    { title: 'Made', cell: ({ createdAt }) => instant(createdAt) },
  ],
  { empty: 'No merchant fits.', caption: 'Merchants' },
)}${found.length > PER_PAGE ? html`<nav class="pager" aria-label="Pages of the list"><a href="?${onward.toString()}">Older</a></nav>` : null}
${
  isGranted(seat.role, 'merchants.manage')
    ? card(
        'Make a merchant',
        shell.form(
          `${base}/merchants`,
          html`${parts.field('name', 'Name', { required: true, maxLength: 100, value: form.text('name') })}${parts.field('callback_url', 'Webhooks go to', { type: 'url', value: form.text('callback_url') })}${parts.field('commission', 'Commission, percent', { inputmode: 'decimal', value: form.text('commission'), hint: 'Empty: the usual one.' })}${parts.area('subnets', 'Addresses allowed to pay out', { value: form.text('subnets'), hint: 'Addresses or CIDR ranges, one per line.', rows: 2 })}${checkbox('live', 'Verified already: issue a live key', { checked: form.isSet('live') })}${button('Make it')}`,
        ),
      )
    : null
}`;
  return shell.page({
    title: 'Merchants',
    body,
    problem: parts.problem(),
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
