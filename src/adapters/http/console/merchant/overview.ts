/** The first page of a merchant: what came in, what is open, what needs attention. */

import type { Overview } from '../../../../app/console/overview.ts';
import { DAY_MS, dayOf, startOfDay } from '../../../../domain/console/day-figure.ts';
import type { OverviewDay } from '../../../../domain/console/overview.ts';
import { INVOICE_STATUSES } from '../../../../domain/invoices/invoice.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { amount, button, card, choice, grouped, table, usd } from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import { invoiceBadge } from '../kit/words.ts';
import type { MerchantPages } from './merchant-pages.ts';

const RANGES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
] as const;
const DAYS_SHOWN = 31;

export function overviewRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  return [ofMerchant('payments.read', 'GET', '', (call) => overviewPage(of, call))];
}

async function overviewPage({ application }: MerchantPages, call: MerchantCall): Promise<Response> {
  const { query, shell, desk, base, now } = call;
  const length = Number(RANGES.find(([days]) => days === query.get('days'))?.[0] ?? 30);
  const last = dayOf(now);
  const { scope } = desk.caller;
  const [overview, counts] = await Promise.all([
    application.console.overview(scope, { first: last - length + 1, last }),
    application.console.attentionCounts(scope),
  ]);
  const attention = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const worth = (sums: Overview['received']): bigint =>
    sums.reduce((sum, { microUsd }) => sum + microUsd, 0n);
  const created = overview.days.reduce((sum, day) => sum + day.created, 0);
  const paid = overview.days.reduce((sum, day) => sum + day.paid, 0);
  const body = html`<form method="get" class="row">${choice('days', 'Of the last', RANGES, { chosen: String(length) })}${button('Show', 'plain')}</form>
<div id="overview" data-renew>
<div class="cards">
${card('Received', html`<p class="number">${usd(worth(overview.received))}</p>`)}
${card('Paid out', html`<p class="number">${usd(worth(overview.sent))}</p>`)}
${card('Fees', html`<p class="number">${usd(overview.days.reduce((sum, day) => sum + day.feesMicroUsd, 0n))}</p>`)}
${card('Paid of those created', html`<p class="number">${share(paid, created)}</p><p class="hint">${grouped(String(paid))} of ${grouped(String(created))}</p>`)}
${card('Open', html`<p class="number">${grouped(String((overview.invoices.created ?? 0) + (overview.invoices.confirming ?? 0)))}</p>`)}
${card('Needs attention', html`<p class="number"><a href="${base}/attention">${grouped(String(attention))}</a></p>`)}
</div>
${card('Received per day', chart(overview.days))}
${card('Received by asset', assets(application, overview))}
${card('Payments by status', statuses(overview, base))}
</div>`;
  return shell.page({ title: 'Overview', body, live: true, showsNewInvoices: true, charts: true });
}

function share(part: number, of: number): string {
  return of === 0 ? 'none created' : `${Math.round((part * 1000) / of) / 10} %`;
}

/** Values of a chart are dollars as numbers: they are drawn and never counted with. */
function chart(days: readonly OverviewDay[]): Markup {
  const dollars = (micros: bigint): number => Number(micros) / 1e6;
  const received = days.map((day) => day.received.reduce((sum, { microUsd }) => sum + microUsd, 0n));
  const sent = days.map((day) => day.sent.reduce((sum, { microUsd }) => sum + microUsd, 0n));
  const data = {
    days: days.map(({ day }) => (day * DAY_MS) / 1000),
    series: [
      { name: 'received, USD', values: received.map(dollars) },
      { name: 'paid out, USD', values: sent.map(dollars) },
    ],
  };
  const shown = days.slice(-DAYS_SHOWN).toReversed();
  return html`<figure data-chart="${JSON.stringify(data)}"></figure><details><summary>The last days as a table</summary>${table(
    shown,
    [
      { title: 'Day', cell: ({ day }) => startOfDay(day).toISOString().slice(0, 10) },
      { title: 'Created', align: 'end', cell: (day) => String(day.created) },
      { title: 'Paid', align: 'end', cell: (day) => String(day.paid) },
      {
        title: 'Received',
        align: 'end',
        cell: (day) => usd(day.received.reduce((sum, one) => sum + one.microUsd, 0n)),
      },
      {
        title: 'Paid out',
        align: 'end',
        cell: (day) => usd(day.sent.reduce((sum, one) => sum + one.microUsd, 0n)),
      },
      { title: 'Refunded', align: 'end', cell: (day) => usd(day.refundedMicroUsd) },
      { title: 'Fees', align: 'end', cell: (day) => usd(day.feesMicroUsd) },
    ],
    { empty: '', caption: 'The last days' },
  )}</details>`;
}

function assets({ catalog }: MerchantPages['application'], { received }: Overview): Markup {
  return table(
    received,
    [
      { title: 'Asset', cell: ({ asset }) => asset },
      { title: 'Payments', align: 'end', cell: ({ count }) => grouped(String(count)) },
      { title: 'Amount', align: 'end', cell: ({ units, asset }) => amount(units, catalog.require(asset)) },
      { title: 'Credited', align: 'end', cell: ({ microUsd }) => usd(microUsd) },
      { title: 'Commission', align: 'end', cell: ({ feeMicroUsd }) => usd(feeMicroUsd) },
    ],
    { empty: 'Nothing was received in these days.', caption: 'Received by asset' },
  );
}

function statuses({ invoices }: Overview, base: string): Markup {
  const rows = INVOICE_STATUSES.map((status) => ({ status, count: invoices[status] ?? 0 })).filter(
    ({ count }) => count > 0,
  );
  return table(
    rows,
    [
      {
        title: 'Status',
        cell: ({ status }) => html`<a href="${base}/payments?status=${status}">${invoiceBadge(status)}</a>`,
      },
      { title: 'Payments', align: 'end', cell: ({ count }) => grouped(String(count)) },
    ],
    { empty: 'There are no payments yet.', caption: 'Payments by status' },
  );
}
