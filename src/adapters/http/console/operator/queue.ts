/** The operators' queue: held payouts, held payments, unmatched deposits. */

import { isGranted } from '../../../../domain/accounts/role.ts';
import { NOTE_LENGTH_MAX } from '../../../../domain/audit/audit-entry.ts';
import type { Deposit } from '../../../../domain/deposits/deposit.ts';
import { STRAY_REASONS } from '../../../../domain/deposits/stray-reason.ts';
import { HELD_CODES } from '../../../../domain/payouts/held.ts';
import { CLAIM_DAYS_DEFAULT } from '../../../../domain/payouts/refund-claim.ts';
import type { OperatorPayout } from '../../../../ports/operator-queries.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { acted, ordered } from '../kit/acted.ts';
import { amount, badge, button, card, copyable, field, instant, table, usd } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { payoutBadge } from '../kit/words.ts';
import type { OperatorPages } from './operator-pages.ts';

const SHOWN = 100;

export function queueRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  const { desk } = of;
  const onPayout = (path: string, run: (call: OperatorCall, id: string) => Promise<Response>): ConsoleRoute =>
    ofOperator('queue.decide', 'POST', `/payouts/:id/${path}`, (call) => run(call, call.params.id ?? ''));
  const onDeposit = (
    path: string,
    run: (call: OperatorCall, id: string) => Promise<Response>,
  ): ConsoleRoute =>
    ofOperator('queue.decide', 'POST', `/deposits/:id/${path}`, (call) => run(call, call.params.id ?? ''));
  const back = { at: '/queue' } as const;
  const refused = (call: OperatorCall) => (problem: Problem) => queuePage(of, call, problem);
  return [
    ofOperator('operator.read', 'GET', '/queue', (call) => queuePage(of, call)),
    onPayout('hold', (call, id) =>
      acted(call, desk.holdPayout(call.seat, id, call.form.optional('reason') ?? 'by hand'), {
        ...{ ...back, code: 'held', refused: refused(call) },
      }),
    ),
    onPayout('release', (call, id) =>
      ordered(call, desk.releasePayout(call.seat, id, call.form.text('form_id')), {
        ...{ ...back, code: 'released', refused: refused(call) },
      }),
    ),
    onPayout('paid', (call, id) =>
      acted(call, desk.payoutPaidBy(call.seat, id, call.form.text('txid')), {
        ...{ ...back, code: 'saved', refused: refused(call) },
      }),
    ),
    onPayout('cancel', (call, id) =>
      acted(call, desk.cancelPayout(call.seat, id), { ...back, code: 'cancelled', refused: refused(call) }),
    ),
    onPayout('retry', (call, id) =>
      acted(call, desk.retryPayout(call.seat, id), { ...back, code: 'retried', refused: refused(call) }),
    ),
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
  { operatorQueries, catalog }: OperatorPages,
  { shell, base, seat }: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const pending = { statuses: ['pending', 'processing'] as const, merchantId: null, limit: SHOWN };
  const [held, waiting, deposits] = await Promise.all([
    operatorQueries.payouts({ ...pending, held: true, waiting: false }),
    operatorQueries.payouts({ ...pending, held: false, waiting: true }),
    operatorQueries.deposits({ statuses: ['held', 'stray'], sandbox: null, limit: SHOWN }),
  ]);
  const may = isGranted(seat.role, 'queue.decide');
  const restored = held.filter(({ payout }) => payout.held?.code === 'restored').length;
  const risky = deposits.filter(({ status }) => status === 'held');
  const strays = deposits.filter(({ status }) => status === 'stray');
  const body = html`<div id="queue">
${card(
  'Held payouts',
  html`${payoutTable({ rows: held, catalog, shell, base, may })}${
    restored > 0 && may
      ? shell.form(
          `${base}/restored/release`,
          html`${shell.formId()}<input type="hidden" name="seen" value="${String(restored)}">${button(`Release all ${restored} that a restore holds`, 'danger', 'Only if you made sure that none of them was paid. Release them?')}`,
        )
      : null
  }`,
)}
${card('Payouts that wait', payoutTable({ rows: waiting, catalog, shell, base, may }))}
${card('Payments held by the risk check', depositTable({ rows: risky, catalog, shell, base, may }))}
${card('Unmatched deposits', depositTable({ rows: strays, catalog, shell, base, may }))}
</div>`;
  return shell.page({ title: 'Queue', body, problem, ...(problem === null ? {} : { status: 400 }) });
}

interface Shown<Row> {
  readonly rows: readonly Row[];
  readonly catalog: OperatorPages['catalog'];
  readonly shell: OperatorCall['shell'];
  readonly base: string;
  readonly may: boolean;
}

function payoutTable({ rows, catalog, shell, base, may }: Shown<OperatorPayout>): Markup {
  const act = (id: string, path: string, fields: Markup): Markup =>
    shell.form(`${base}/payouts/${id}/${path}`, fields, { class: 'inline' });
  return table(
    rows,
    [
      {
        title: 'Payout',
        cell: ({ payout }) =>
          html`<a href="${base}/payouts/${payout.id}"><code>${payout.id}</code></a><br>${payoutBadge(payout.status)}<br>${merchantLink(base, payout)}`,
      },
      {
        title: 'Amount',
        align: 'end',
        cell: ({ payout }) =>
          html`${amount(payout.amountUnits, catalog.require(payout.asset))}<br><small>${usd(payout.amountMicroUsd)}<br>${instant(payout.createdAt)}</small>`,
      },
      { title: 'To', cell: ({ payout }) => html`<code>${payout.address}</code>` },
      { title: 'Why', cell: ({ payout }) => why(payout) },
      {
        title: '',
        cell: ({ payout: { id, held, status } }) =>
          may
            ? html`<div class="actions">${
                held !== null
                  ? html`${act(id, 'release', html`${shell.formId()}${button('Release', 'plain', 'Release this payout? It is sent.')}`)}${act(id, 'paid', html`${field('txid', 'Was paid by transaction', { id: `txid-${id}` })}${button('It was paid', 'plain')}`)}`
                  : html`${act(id, 'retry', button('Try again', 'plain'))}${status === 'pending' ? act(id, 'hold', html`${field('reason', 'Reason', { id: `reason-${id}`, maxLength: NOTE_LENGTH_MAX })}${button('Hold', 'plain')}`) : null}`
              }${act(id, 'cancel', button('Cancel', 'danger', 'Cancel this payout?'))}</div>`
            : null,
      },
    ],
    { empty: 'None.', caption: 'Payouts' },
  );
}

function merchantLink(
  base: string,
  { merchantId, sandbox }: Pick<Deposit, 'merchantId' | 'sandbox'>,
): Markup {
  return html`<small>of <a href="${base}/merchants/${merchantId}">${merchantId}</a>${sandbox ? ', sandbox' : ''}</small>`;
}

function why({ held, waiting }: OperatorPayout['payout']): Markup | null {
  if (held !== null)
    return html`${badge(held.code, 'warn')}<br><small>${held.text}. ${HELD_CODES[held.code]}</small>`;
  return waiting === null ? null : html`${badge(waiting.code, 'warn')}<br><small>${waiting.reason}</small>`;
}

function depositTable({ rows, catalog, shell, base, may }: Shown<Deposit>): Markup {
  const act = (id: string, path: string, fields: Markup): Markup =>
    shell.form(`${base}/deposits/${id}/${path}`, fields, { class: 'inline' });
  return table(
    rows,
    [
      {
        title: 'Amount',
        cell: (deposit) =>
          html`${
            catalog.isListed(deposit.asset)
              ? amount(deposit.units, catalog.require(deposit.asset))
              : html`${deposit.asset} ${badge('not listed', 'warn')}`
          }<br><small>${instant(deposit.firstSeenAt)}</small><br>${merchantLink(base, deposit)}`,
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
