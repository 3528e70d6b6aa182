/** A merchant's permanent addresses: the list, giving one to a user, deactivating one. */

import { isGranted } from '../../../../domain/accounts/role.ts';
import { PERMANENT_FAMILIES } from '../../../../domain/catalog/family.ts';
import { html } from '../../checkout/page/html.ts';
import { permanentBody } from '../../invoices/permanent.routes.ts';
import { acted } from '../kit/acted.ts';
import { formBody, given } from '../kit/form-body.ts';
import { formParts } from '../kit/form-parts.ts';
import { badge, button, card, choice, copyable, field, instant, pageOf, pager, table } from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import type { MerchantPages } from './merchant-pages.ts';

const PER_PAGE = 25;
const readAddress = formBody(permanentBody);

export function addressRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  return [
    ofMerchant('payments.read', 'GET', '/addresses', (call) => listPage(of, call)),
    ofMerchant('payments.create', 'POST', '/addresses', async (call) => {
      const input = readAddress(given(call.form, ['user_id', 'family', 'notify_url']), of.api);
      if (!input.ok) return listPage(of, call, input.error);
      const made = await of.desk.getPermanentAddress(call.desk, input.value);
      return made.ok
        ? call.shell.lead(`${call.base}/addresses?user_id=${encodeURIComponent(made.value.userId)}`)
        : listPage(of, call, made.error);
    }),
    ofMerchant('payments.create', 'POST', '/addresses/:id/deactivate', (call) =>
      acted(call, of.desk.deactivatePermanentAddress(call.desk, call.params.id ?? ''), {
        ...{ at: '/addresses', code: 'address_deactivated' },
        refused: (problem) => listPage(of, call, problem),
      }),
    ),
  ];
}

async function listPage(
  { application }: MerchantPages,
  call: MerchantCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { query, shell, desk, base } = call;
  const page = pageOf(query);
  const list = await application.queries.permanentAddresses(
    desk.caller.scope,
    { family: query.get('family') || null, userId: query.get('user_id') || null, active: null },
    { page, perPage: PER_PAGE },
  );
  const families = PERMANENT_FAMILIES.map((one) => [one, one] as const);
  const may = isGranted(desk.role, 'payments.create');
  const parts = formParts(problem, { asset: 'family' });
  const body = html`<form method="get" class="row">${field('user_id', 'Your user', { id: 'user-wanted', value: query.get('user_id') })}${choice('family', 'Family', [['', 'all'], ...families], { id: 'family-wanted', chosen: query.get('family') })}${button('Filter', 'plain')}</form>
${table(
  list.rows,
  [
    { title: 'User', cell: ({ userId }) => userId },
    { title: 'Family', cell: ({ family }) => family },
    { title: 'Address', cell: ({ address }) => copyable(address) },
    {
      title: 'State',
      cell: ({ active }) => (active ? badge('active', 'good') : badge('deactivated', 'plain')),
    },
    { title: 'Given', cell: ({ createdAt }) => instant(createdAt) },
    {
      title: '',
      cell: ({ id, active }) =>
        active && may
          ? shell.form(
              `${base}/addresses/${id}/deactivate`,
              button(
                'Deactivate',
                'danger',
                'Later payments to it are not credited automatically. Deactivate it?',
              ),
              { class: 'inline' },
            )
          : null,
    },
  ],
  { empty: 'There are no permanent addresses.', caption: 'Permanent addresses' },
)}${pager({ page, perPage: PER_PAGE, total: list.total }, query)}
${
  may
    ? card(
        'Give an address to a user',
        shell.form(
          `${base}/addresses`,
          html`${parts.field('user_id', 'Your id of the user', { required: true, maxLength: 128, value: call.form.text('user_id') })}${parts.choice('family', 'Family', families, { chosen: call.form.text('family') })}${parts.field('notify_url', 'Webhooks go to', { type: 'url', value: call.form.text('notify_url') })}${button('Give it')}`,
        ),
      )
    : null
}`;
  return shell.page({
    title: 'Permanent addresses',
    body,
    problem: parts.problem(),
    ...(problem === null ? {} : { status: 422 }),
  });
}
