/** A merchant's balance and ledger. */
import { availableMicroUsd } from '../../../../domain/ledger.ts';
import type { LedgerFilter, LedgerLine } from '../../../../ports/list-queries.ts';
import { html } from '../../checkout/page/html.ts';
import { dayOf } from '../kit/days.ts';
import { amount, button, card, choice, field, instant, pageOf, pager, table, usd } from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { MerchantPages } from './merchant-pages.ts';

const PER_PAGE = 50;
const TYPES = ['income', 'payout', 'refund'] as const;

export function balanceRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  return [ofMerchant('ledger.read', 'GET', '/balance', (call) => balancePage(of, call))];
}

async function balancePage({ application }: MerchantPages, call: MerchantCall): Promise<Response> {
  const { query, shell, desk, base } = call;
  const { scope } = desk.caller;
  const page = pageOf(query);
  const [balance, ledger] = await Promise.all([
    application.queries.balance(scope),
    application.queries.ledger(scope, filterOf(query), { page, perPage: PER_PAGE }),
  ]);
  const body = html`<div class="cards">${card('Available', html`<p class="number">${usd(availableMicroUsd(balance))}</p>`)}${card('Income', html`<p class="number">${usd(balance.incomeMicroUsd)}</p>`)}${card('Payouts', html`<p class="number">${usd(balance.payoutsMicroUsd)}</p>`)}${card('Refunds', html`<p class="number">${usd(balance.refundsMicroUsd)}</p>`)}</div>
<p class="actions"><a class="button" href="${base}/statements">Monthly statements</a></p>
${card(
  'Ledger',
  html`<form method="get" class="row">${choice('type', 'Kind', [['', 'all'], ...TYPES.map((one) => [one, one] as const)], { chosen: query.get('type') })}${field('from', 'From', { type: 'date', value: query.get('from') })}${field('to', 'To', { type: 'date', value: query.get('to') })}${button('Filter', 'plain')}</form>${table(
    ledger.rows,
    [
      { title: 'When', cell: ({ createdAt }) => instant(createdAt) },
      { title: 'Kind', cell: ({ type, isWastedFee }) => (isWastedFee ? `${type}, network fee` : type) },
      {
        title: 'Amount',
        align: 'end',
        cell: ({ amountUnits, asset }) => amount(amountUnits, application.catalog.require(asset)),
      },
      {
        title: 'Fee',
        align: 'end',
        cell: ({ feeUnits, asset }) =>
          feeUnits === null ? '' : amount(feeUnits, application.catalog.require(asset)),
      },
      { title: 'Status', cell: ({ status }) => status ?? '' },
      { title: 'Of', cell: (line) => html`<a href="${base}/${pathOf(line)}">${line.referenceId}</a>` },
    ],
    { empty: 'There are no entries.', caption: 'Ledger' },
  )}${pager({ page, perPage: PER_PAGE, total: ledger.total }, query)}`,
)}`;
  return shell.page({ title: 'Balance and ledger', body });
}

function pathOf({ type, referenceId }: LedgerLine): string {
  return type === 'payout' ? `payouts/${referenceId}` : `payments/${referenceId}`;
}

function filterOf(query: URLSearchParams): LedgerFilter {
  return {
    type: TYPES.find((one) => one === query.get('type')) ?? null,
    ...{ from: dayOf(query, 'from', 'begins'), to: dayOf(query, 'to', 'ends') },
  };
}
