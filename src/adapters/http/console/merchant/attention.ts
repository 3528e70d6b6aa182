/** What needs the merchant's attention, with what can be done about it. */

import { isGranted, type MerchantPermission } from '../../../../domain/accounts/role.ts';
import { NOTE_LENGTH_MAX } from '../../../../domain/audit/audit-entry.ts';
import { ATTENTION_CODES, type AttentionCode } from '../../../../domain/console/attention.ts';
import { STRAY_REASONS } from '../../../../domain/deposits/stray-reason.ts';
import {
  ATTENTION_REACH,
  type AttentionCase,
  type AttentionCounts,
} from '../../../../ports/console/attention-queries.ts';
import type { RequestedCredit } from '../../../../ports/deposits/credit-requests.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { acted } from '../kit/acted.ts';
import {
  amount,
  badge,
  button,
  card,
  copyable,
  field,
  grouped,
  instant,
  pageOf,
  pager,
  type Tone,
  table,
} from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import type { MerchantPages } from './merchant-pages.ts';

const PER_PAGE = 25;
const WORDS: Readonly<Record<AttentionCode, readonly [text: string, tone: Tone, todo: string]>> = {
  partial: ['partly paid', 'warn', 'Offer a refund, or ask the customer for a new payment.'],
  over: ['overpaid', 'warn', 'Offer a refund of the surplus.'],
  late: ['paid too late', 'warn', 'Ask the operator to credit or to refund it.'],
  wrong_asset: ['another asset', 'warn', 'Ask the operator to credit or to refund it.'],
  small: ['too small', 'plain', 'It is below the minimum.'],
  unmatched: ['unmatched', 'warn', 'Ask the operator to credit or to refund it.'],
  high_risk: ['high risk', 'bad', 'The operator decides.'],
  refund_open: ['refund waits for the customer', 'calm', 'Send the customer the link once more.'],
  held_payout: ['payout held', 'warn', 'The operator decides.'],
  failed_payout: ['payout failed', 'bad', 'Its amount came back to your balance.'],
  webhook_given_up: ['webhook given up', 'bad', 'Your server did not take it. Mend it, and send it again.'],
};

export function attentionRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  return [
    ofMerchant('payments.read', 'GET', '/attention', (call) => attentionPage(of, call)),
    ofMerchant('payments.decide', 'POST', '/attention/:id/credit', (call) => {
      const { params, form, desk } = call;
      return acted(call, of.desk.requestCredit(desk, params.id ?? '', form.text('reason')), {
        ...{ at: '/attention', code: 'requested' },
        refused: (problem) => attentionPage(of, call, problem),
      });
    }),
    ...(['/attention/webhooks', '/attention/webhooks/:id'] as const).map((path) =>
      ofMerchant('webhooks.resend', 'POST', path, (call) =>
        acted(call, of.desk.sendAgain(call.desk, call.params.id ?? null), {
          ...{ at: '/attention', code: 'webhook_queued' },
          refused: (problem) => attentionPage(of, call, problem),
        }),
      ),
    ),
  ];
}

async function attentionPage(
  { application }: MerchantPages,
  call: MerchantCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { query, shell, desk, base } = call;
  const { scope } = desk.caller;
  const page = pageOf(query);
  const code = ATTENTION_CODES.find((one) => one === query.get('code')) ?? null;
  const may = (permission: MerchantPermission) => isGranted(desk.role, permission);
  const [list, requests] = await Promise.all([
    application.console.attention(scope, code, { page, perPage: PER_PAGE }),
    application.console.creditRequests(scope, { page: 1, perPage: PER_PAGE }),
  ]);
  const body = html`<div id="attention" data-renew>${kinds(list.counts, code)}
${card(
  code === null ? 'Everything' : WORDS[code][0],
  html`${table(
    list.rows,
    [
      {
        title: 'What',
        cell: (row) =>
          html`${badge(WORDS[row.code][0], WORDS[row.code][1])}${row.strayReason === null ? null : html`<br><small>${STRAY_REASONS[row.strayReason]}</small>`}`,
      },
      {
        title: 'Amount',
        align: 'end',
        cell: ({ units, asset }) =>
          units === null || asset === null || !application.catalog.isListed(asset)
            ? (asset ?? '')
            : amount(units, application.catalog.require(asset)),
      },
      { title: 'Of', cell: (row) => linkOf(row, base) },
      {
        title: 'To do',
        cell: (row) =>
          html`${WORDS[row.code][2]}${may('payments.decide') && canAsk(row) ? askForm(call, row.depositId) : null}${may('webhooks.resend') && row.deliveryId !== null ? againForm(call, row.deliveryId) : null}`,
      },
      { title: 'Since', cell: ({ since }) => instant(since) },
    ],
    {
      empty: page === 1 ? 'Nothing needs your attention.' : 'The list ends before this page.',
      caption: 'Needs attention',
    },
  )}${pager({ page, perPage: PER_PAGE, total: list.total, reach: ATTENTION_REACH }, query)}${code === 'webhook_given_up' && list.total > 1 && may('webhooks.resend') ? againForm(call, null) : null}`,
)}${requests.rows.length === 0 ? null : card('Credits that you asked for', requestTable(requests.rows))}</div>`;
  return shell.page({
    title: 'Needs attention',
    body,
    live: true,
    problem,
    ...(problem === null ? {} : { status: 400 }),
  });
}

/** What only an operator can credit. */
function canAsk({ code, depositId }: AttentionCase): boolean {
  return depositId !== null && ['late', 'wrong_asset', 'small', 'unmatched'].includes(code);
}

function askForm({ shell, base }: MerchantCall, depositId: string | null): Markup {
  return shell.form(
    `${base}/attention/${depositId ?? ''}/credit`,
    html`${field('reason', 'Why it is yours', { id: `reason-${depositId ?? ''}`, maxLength: NOTE_LENGTH_MAX })}${button('Ask for its credit', 'plain')}`,
    { class: 'inline' },
  );
}

/** Of one webhook, or of all that were given up. */
function againForm({ shell, base }: MerchantCall, deliveryId: string | null): Markup {
  return deliveryId === null
    ? shell.form(
        `${base}/attention/webhooks`,
        button('Send all again', 'plain', 'Send up to 500 webhooks again, the oldest first?'),
      )
    : shell.form(`${base}/attention/webhooks/${deliveryId}`, button('Send again', 'plain'), {
        class: 'inline',
      });
}

const REQUESTS = { requested: 'warn', granted: 'good', declined: 'bad' } as const;

function requestTable(rows: readonly RequestedCredit[]): Markup {
  return table(
    rows,
    [
      { title: 'Transaction', cell: ({ deposit }) => copyable(deposit.txid) },
      { title: 'State', cell: ({ request }) => badge(request.status, REQUESTS[request.status]) },
      { title: 'Why', cell: ({ request }) => request.reason },
      { title: 'Answer', cell: ({ request }) => request.answer ?? '' },
      { title: 'Asked', cell: ({ request }) => instant(request.createdAt) },
    ],
    { empty: '', caption: 'Credits that you asked for' },
  );
}

function kinds(counts: AttentionCounts, chosen: AttentionCode | null): Markup {
  const some = ATTENTION_CODES.filter((code) => counts[code] > 0 || code === chosen);
  return html`<ul class="chips"><li><a href="?"${chosen === null ? html` aria-current="true"` : null}>all</a></li>${some.map(
    (code) =>
      html`<li><a href="?code=${code}"${code === chosen ? html` aria-current="true"` : null}>${WORDS[code][0]} ${grouped(String(counts[code]))}</a></li>`,
  )}</ul>`;
}

/** Where it can be acted on. */
function linkOf({ claimId, invoiceId, payoutId, depositId }: AttentionCase, base: string): Markup | string {
  if (claimId !== null) return html`<a href="${base}/refunds/${claimId}">refund</a>`;
  if (payoutId !== null) return html`<a href="${base}/payouts/${payoutId}">payout</a>`;
  if (invoiceId !== null) return html`<a href="${base}/payments/${invoiceId}">payment</a>`;
  return html`deposit <code>${depositId ?? ''}</code>`;
}
