/** A merchant's payouts: the list, one by hand, and the page of one. */

import { isGranted } from '../../../../domain/accounts/role.ts';
import { FIAT_CURRENCIES } from '../../../../domain/catalog/fiat.ts';
import { availableMicroUsd } from '../../../../domain/ledger.ts';
import { type Payout, shownFee } from '../../../../domain/payouts/payout-record.ts';
import { html } from '../../checkout/page/html.ts';
import { asId } from '../../kit/input/query.ts';
import { payoutBody } from '../../payouts/payout-body.ts';
import { acted, ordered } from '../kit/acted.ts';
import { formBody, given } from '../kit/form-body.ts';
import { formParts } from '../kit/form-parts.ts';
import { notFound } from '../kit/gate.ts';
import {
  amount,
  badge,
  button,
  card,
  copyable,
  facts,
  field,
  instant,
  pageOf,
  pager,
  table,
  usd,
} from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { payoutBadge } from '../kit/words.ts';
import { timelineCard } from '../timeline.ts';
import { formIdOf, type MerchantPages } from './merchant-pages.ts';

const PER_PAGE = 25;
const readPayout = formBody(payoutBody);

export function payoutRoutesOfMerchant(of: MerchantPages): readonly ConsoleRoute[] {
  return [
    ofMerchant('payments.read', 'GET', '/payouts', (call) => listPage(of, call)),
    ofMerchant('payouts.create', 'GET', '/payouts/new', (call) => newPage(of, call)),
    ofMerchant('payouts.create', 'POST', '/payouts/new', async (call) => {
      const fields = ['address', 'amount', 'asset', 'fiat_currency', 'ref', 'fee_bearer'];
      const input = readPayout(given(call.form, fields), of.api);
      if (!input.ok) return newPage(of, call, input.error);
      return ordered(call, of.desk.createPayout(call.desk, input.value, formIdOf(call)), {
        ...{ at: '/payouts', code: 'payout_ordered' },
        refused: (problem) => newPage(of, call, problem),
      });
    }),
    ofMerchant('payments.read', 'GET', '/payouts/:id', (call) => payoutPage(of, call)),
    ofMerchant('payouts.cancel', 'POST', '/payouts/:id/cancel', (call) => {
      const { id = '' } = call.params;
      return acted(call, of.desk.cancelPayout(call.desk, id), {
        ...{ at: `/payouts/${id}`, code: 'payout_cancelled' },
        refused: (problem) => payoutPage(of, call, problem),
      });
    }),
  ];
}

async function listPage({ application }: MerchantPages, call: MerchantCall): Promise<Response> {
  const { query, shell, desk, base } = call;
  const page = pageOf(query);
  const list = await application.queries.payouts(
    desk.caller.scope,
    { asset: query.get('asset') || null, ids: null, from: null, to: null, ref: query.get('ref') || null },
    { by: 'created_at', order: 'desc' },
    { page, perPage: PER_PAGE },
  );
  const body = html`${
    isGranted(desk.role, 'payouts.create')
      ? html`<p class="actions"><a class="button" href="${base}/payouts/new">Pay out</a><a class="button" href="${base}/payouts/upload">Upload a file of payouts</a></p>`
      : null
  }<form method="get" class="row">${field('ref', 'Your reference', { value: query.get('ref') })}${field('asset', 'Asset', { value: query.get('asset'), hint: 'usdt_tron, for example' })}${button('Filter', 'plain')}</form>
<div id="payouts" data-renew>${table(
    list.rows,
    [
      {
        title: 'To',
        cell: ({ id, address, ref }) => html`<a href="${base}/payouts/${id}">${ref ?? address}</a>`,
      },
      { title: 'Status', cell: (payout) => html`${payoutBadge(payout.status)} ${waitOf(payout)}` },
      {
        title: 'Amount',
        align: 'end',
        cell: ({ amountUnits, asset }) => amount(amountUnits, application.catalog.require(asset)),
      },
      { title: 'Worth', align: 'end', cell: ({ amountMicroUsd }) => usd(amountMicroUsd) },
      { title: 'Ordered', cell: ({ createdAt }) => instant(createdAt) },
    ],
    { empty: 'There are no payouts yet.', caption: 'Payouts' },
  )}${pager({ page, perPage: PER_PAGE, total: list.total }, query)}</div>`;
  return shell.page({ title: 'Payouts', body, live: true });
}

/** Why a payout waits, in the merchant's words. The operator sees more. */
function waitOf({ held, waiting, status }: Payout) {
  if (status !== 'pending') return null;
  if (held !== null) return badge('the operator looks at it', 'warn');
  return waiting === null ? null : badge('waits for the network or for money in the wallet', 'warn');
}

async function newPage(
  { application }: MerchantPages,
  { shell, base, form, desk, environment }: MerchantCall,
  problem: Problem | null = null,
): Promise<Response> {
  const balance = await application.queries.balance(desk.caller.scope);
  const assets = application.catalog.all
    .filter((asset) => application.isOffered(asset, environment === 'sandbox'))
    .map(({ key }) => [key, key] as const);
  const parts = formParts(problem, { chain: 'asset' });
  const body = html`<p>You have ${usd(availableMicroUsd(balance))}.</p>${shell.form(
    `${base}/payouts/new`,
    html`${shell.formId()}${parts.choice('asset', 'Asset', assets, { chosen: form.text('asset') })}${parts.field('address', 'Address', { required: true, value: form.text('address') })}${parts.field('amount', 'Amount', { required: true, inputmode: 'decimal', value: form.text('amount') })}${parts.choice('fiat_currency', 'The amount is in', [['native', 'the asset'], ...FIAT_CURRENCIES.map((one) => [one, one] as const)], { chosen: form.text('fiat_currency') })}${parts.choice(
      'fee_bearer',
      'Network fee',
      [
        ['merchant', 'is added to the amount'],
        ['client', 'is taken from the amount'],
      ],
      { chosen: form.text('fee_bearer') },
    )}${parts.field('ref', 'Your reference', { maxLength: 128, value: form.text('ref') })}${button('Pay out', 'main', 'Send this payout?')}`,
  )}`;
  return shell.page({
    title: 'Pay out',
    body,
    problem: parts.problem(),
    ...(problem === null ? {} : { status: 400 }),
  });
}

async function payoutPage(
  { application }: MerchantPages,
  { shell, base, desk, params }: MerchantCall,
  problem: Problem | null = null,
): Promise<Response> {
  const id = asId(params.id ?? '');
  const payout = id === null ? null : await application.queries.payout(desk.caller.scope, id);
  if (payout === null) return notFound(shell);
  const asset = application.catalog.require(payout.asset);
  const fee = shownFee(payout);
  const timeline = await application.console.payoutTimeline(desk.caller.scope, payout.id);
  const body = html`<div id="payout" data-renew>${card(
    'Details',
    facts([
      ['Status', html`${payoutBadge(payout.status)} ${waitOf(payout)}`],
      ['Amount', amount(payout.amountUnits, asset)],
      ['Arrives', amount(payout.sentUnits, asset)],
      ['Network fee', `${amount(fee.units, asset)}, ${usd(fee.microUsd)}`],
      ['Worth', usd(payout.amountMicroUsd)],
      ['Address', copyable(payout.address)],
      ['Transaction', payout.txid === null ? null : copyable(payout.txid)],
      ['Your reference', payout.ref],
      ['Batch', payout.batchId],
      ['Id', copyable(payout.id)],
      ['Ordered', instant(payout.createdAt)],
      ['Changed', instant(payout.updatedAt)],
    ]),
  )}${timeline === null ? null : timelineCard(timeline, application.catalog)}</div>${
    payout.status === 'pending' && isGranted(desk.role, 'payouts.cancel')
      ? shell.form(
          `${base}/payouts/${payout.id}/cancel`,
          button('Cancel the payout', 'danger', 'Cancel this payout?'),
        )
      : null
  }`;
  return shell.page({
    title: 'Payout',
    body,
    live: true,
    problem,
    ...(problem === null ? {} : { status: 400 }),
  });
}
