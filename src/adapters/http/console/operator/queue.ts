/** The operators' queue: held payouts, held payments, unmatched deposits. */

import { isGranted } from '../../../../domain/accounts/role.ts';
import { NOTE_LENGTH_MAX } from '../../../../domain/audit/audit-entry.ts';
import type { Deposit } from '../../../../domain/deposits/deposit.ts';
import { STRAY_REASONS } from '../../../../domain/deposits/stray-reason.ts';
import { CLAIM_DAYS_DEFAULT } from '../../../../domain/payouts/refund-claim.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { acted, ordered } from '../kit/acted.ts';
import { amount, badge, button, card, copyable, field, instant, table } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { namesOf } from './merchant-name.ts';
import type { OperatorPages } from './operator-pages.ts';
import { payoutTable, type ShownRows, unknownTable } from './payout-table.ts';
import { payoutRoutesOfOperators } from './payouts.ts';

const SHOWN = 100;

export function queueRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  const { desk } = of;
  const onDeposit = (
    path: string,
    run: (call: OperatorCall, id: string) => Promise<Response>,
  ): ConsoleRoute =>
    ofOperator('queue.decide', 'POST', `/deposits/:id/${path}`, (call) => run(call, call.params.id ?? ''));
  const back = { at: '/queue' } as const;
  const refused = (call: OperatorCall) => (problem: Problem) => queuePage(of, call, problem);
  return [
    ofOperator('operator.read', 'GET', '/queue', (call) => queuePage(of, call)),
    ...payoutRoutesOfOperators(of, (call, problem) => queuePage(of, call, problem)),
    ofOperator('queue.decide', 'POST', '/restored/release', (call) =>
      ordered(
        call,
        desk.releaseRestored(call.seat, Number(call.form.text('seen')), call.form.text('form_id')),
        { ...back, code: 'released', refused: refused(call) },
      ),
    ),
    onDeposit('release', (call, id) =>
      acted(call, desk.releaseHeld(call.seat, id), { ...back, code: 'released', refused: refused(call) }),
    ),
    onDeposit('reject', (call, id) =>
      acted(call, desk.rejectHeld(call.seat, id, call.form.optional('reason') ?? 'by hand'), {
        ...{ ...back, code: 'rejected', refused: refused(call) },
      }),
    ),
    onDeposit('credit', (call, id) =>
      acted(call, desk.creditStray(call.seat, id), { ...back, code: 'credited', refused: refused(call) }),
    ),
    onDeposit('refund', (call, id) => offerRefund(of, call, id)),
  ];
}

async function offerRefund(of: OperatorPages, call: OperatorCall, depositId: string): Promise<Response> {
  const { form, shell, base, seat } = call;
  const offer = {
    of: { subject: 'deposit', depositId } as const,
    ...{ amount: null, feeBearer: 'client' as const, onCheckout: false, mails: form.isSet('send_email') },
    days: CLAIM_DAYS_DEFAULT,
  };
  const done = await of.desk.offerRefund(seat, offer, form.text('form_id'));
  if (!done.ok) return queuePage(of, call, done.error);
  if (done.value.outcome !== 'done') return shell.done(`${base}/approvals`, 'approval_needed');
  return shell.page({
    title: 'Refund',
    body: html`<p>Pass this link on to the customer.</p><p>${copyable(done.value.made.url)}</p><p><a href="${base}/queue">Back to the queue</a></p>`,
  });
}

async function queuePage(
  of: OperatorPages,
  call: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { desk, operatorQueries, catalog } = of;
  const { shell, base, seat } = call;
  const pending = { statuses: ['pending', 'processing'] as const, merchantId: null, limit: SHOWN };
  const [held, waiting, deposits] = await Promise.all([
    operatorQueries.payouts({ ...pending, held: true, waiting: false }),
    operatorQueries.payouts({ ...pending, held: false, waiting: true }),
    operatorQueries.deposits({ statuses: ['held', 'stray'], sandbox: null, limit: SHOWN }),
  ]);
  const payouts = [...held, ...waiting].map(({ payout }) => payout);
  const [nameOf, unknown, parked] = await Promise.all([
    namesOf(of, call, [...payouts, ...deposits]),
    desk.unknownPayments(payouts),
    desk.unbookedFunding(SHOWN),
  ]);
  const may = isGranted(seat.role, 'queue.decide');
  const restored = held.filter(({ payout }) => payout.held?.code === 'restored').length;
  const shown = { catalog, shell, base, may, nameOf };
  const body = html`<p><a href="${base}/payouts">All payouts</a></p><div id="queue">
${card(
  'Held payouts',
  html`${payoutTable({ rows: held, ...shown })}${
    restored > 0 && may
      ? shell.form(
          `${base}/restored/release`,
          html`${shell.formId()}<input type="hidden" name="seen" value="${String(restored)}">${button(`Release all ${restored} that a restore holds`, 'danger', 'Only if you made sure that none of them was paid. Release them?')}`,
        )
      : null
  }`,
)}
${unknown.length === 0 ? null : card('Sent by the hot wallets, and not known here', unknownTable(unknown, shown))}
${card('Payouts that wait', payoutTable({ rows: waiting, ...shown }))}
${card(
  'Payments held by the risk check',
  depositTable({ rows: deposits.filter(({ status }) => status === 'held'), ...shown }),
)}
${card(
  'Unmatched deposits',
  html`${depositTable({ rows: deposits.filter(({ status }) => status === 'stray'), ...shown })}${[
    ...new Set(parked.map(({ chain }) => chain)),
  ].map(
    (chain) =>
      html`<p class="message warn">Money without a tag of ours came to the <a href="${base}/wallets/${chain}">hot wallet of ${chain}</a>: assign it, or book it.</p>`,
  )}`,
)}
</div>`;
  return shell.page({ title: 'Queue', body, problem, ...(problem === null ? {} : { status: 400 }) });
}

function depositTable({ rows, catalog, shell, base, may, nameOf }: ShownRows<Deposit>): Markup {
  const act = (id: string, path: string, fields: Markup): Markup =>
    shell.form(`${base}/deposits/${id}/${path}`, fields, { class: 'inline' });
  return table<Deposit>(
    rows,
    [
      {
        title: 'Amount',
        cell: (deposit) =>
          html`${
            catalog.isListed(deposit.asset)
              ? amount(deposit.units, catalog.require(deposit.asset))
              : html`${deposit.asset} ${badge('not listed', 'warn')}`
          }<br><small>${instant(deposit.firstSeenAt)}</small><br>${nameOf(deposit)}`,
      },
      { title: 'Transaction', cell: ({ txid, chain }) => html`${chain}<br>${copyable(txid)}` },
      { title: 'Address', cell: ({ address }) => copyable(address) },
      {
        title: 'Why',
        cell: ({ strayReason, note }) =>
          html`${strayReason === null ? null : STRAY_REASONS[strayReason]} ${note}`,
      },
      {
        title: '',
        cell: ({ id, status, asset }) =>
          may && catalog.isListed(asset)
            ? html`<div class="actions">${
                status === 'held'
                  ? html`${act(id, 'release', button('Accept', 'plain', 'Accept this payment?'))}${act(id, 'reject', html`${field('reason', 'Reason', { id: `reason-${id}`, maxLength: NOTE_LENGTH_MAX })}${button('Reject', 'danger')}`)}`
                  : html`${act(id, 'credit', button('Credit', 'plain', 'Credit it to the merchant?'))}${act(id, 'refund', html`${shell.formId()}${button('Offer a refund', 'plain')}`)}`
              }</div>`
            : null,
      },
    ],
    { empty: 'None.', caption: 'Deposits' },
  );
}
