/**
 * What operators do about one payment: a refund to an address, which is shown before it is ordered;
 * a refund that the customer claims; and its webhook once more.
 */
import type { DeskFault } from '../../../../app/console/merchant-desk.ts';
import type { Refunded } from '../../../../app/payouts/refunds/refund-invoice.ts';
import type { Timeline } from '../../../../domain/console/timeline.ts';
import { validationError } from '../../../../domain/errors.ts';
import { formatUnits, parseDecimal } from '../../../../domain/money/decimal.ts';
import { CLAIM_DAYS_DEFAULT, CLAIM_DAYS_MAX } from '../../../../domain/payouts/refund-claim.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { acted, ordered } from '../kit/acted.ts';
import { amount, button, card, checkbox, choice, copyable, facts, field, usd } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import type { OperatorPages } from './operator-pages.ts';

type CasePage = (call: OperatorCall, problem: Problem) => Promise<Response>;
type RefundWanted = Parameters<OperatorPages['desk']['previewRefund']>[2];

/** `page`: the case, with why it was refused. */
export function caseRefundRoutes(of: OperatorPages, page: CasePage): readonly ConsoleRoute[] {
  const { desk } = of;
  const onCase = (path: string, run: (call: OperatorCall, id: string) => Promise<Response>): ConsoleRoute =>
    ofOperator('queue.decide', 'POST', `/payments/:id/${path}`, (call) => run(call, call.params.id ?? ''));
  const back = (call: OperatorCall, id: string) => ({
    at: `/payments/${id}`,
    refused: (problem: Problem) => page(call, problem),
  });
  return [
    onCase('refund/preview', (call) => preview(of, page, call)),
    onCase('refund', async (call, id) => {
      const wanted = refundOf(call);
      if (!wanted.ok) return page(call, wanted.error);
      const doing = desk.refundInvoice(call.seat, id, wanted.value, call.form.text('form_id'));
      return ordered(call, doing, { ...back(call, id), code: 'refund_ordered' });
    }),
    onCase('offer', (call, id) => offer(of, page, { call, id })),
    onCase('claims/:claim/withdraw', (call, id) =>
      acted(call, desk.withdrawRefund(call.seat, call.params.claim ?? ''), {
        ...{ ...back(call, id), code: 'withdrawn' },
      }),
    ),
    onCase('replay', (call, id) =>
      acted(call, desk.replayInvoice(call.seat, id), { ...back(call, id), code: 'webhook_queued' }),
    ),
  ];
}

function amountOf({ form }: OperatorCall): Result<RefundWanted['amount'], DeskFault> {
  const given = form.optional('amount');
  const amountGiven = given === null ? null : parseDecimal(given);
  return given !== null && amountGiven === null
    ? err(validationError([{ field: 'amount', message: 'must be a number' }]))
    : ok(amountGiven);
}

function refundOf(call: OperatorCall): Result<RefundWanted, DeskFault> {
  const { form } = call;
  const given = amountOf(call);
  return given.ok ? ok({ to: form.optional('to'), amount: given.value, force: form.isSet('force') }) : given;
}

/** Orders nothing. The form below it orders exactly what it shows. */
async function preview(of: OperatorPages, page: CasePage, call: OperatorCall): Promise<Response> {
  const { shell, base, params, seat, form } = call;
  const { id = '' } = params;
  const wanted = refundOf(call);
  if (!wanted.ok) return page(call, wanted.error);
  const found = await of.desk.previewRefund(seat, id, wanted.value);
  if (!found.ok) return page(call, found.error);
  const { refund, invoice } = found.value;
  const asset = of.catalog.require(refund.asset);
  // In the sandbox the payer is simulated, and no address that could be named.
  const to = invoice.sandbox ? form.text('to') : refund.address;
  const exact = html`<input type="hidden" name="to" value="${to}"><input type="hidden" name="amount" value="${formatUnits(refund.amountUnits, asset.decimals)}">${form.isSet('force') ? html`<input type="hidden" name="force" value="on">` : null}`;
  const body = html`${shownRefund(found.value, of.catalog)}${shell.form(
    `${base}/payments/${id}/refund`,
    html`${shell.formId()}${exact}${button('Send it', 'main', 'Send this refund? It cannot be taken back.')}`,
  )}<p><a href="${base}/payments/${id}">Back to the payment</a></p>`;
  return shell.page({ title: 'Refund', body });
}

function shownRefund(
  { refund, availableBeforeMicroUsd, availableAfterMicroUsd }: Refunded,
  catalog: OperatorPages['catalog'],
): Markup {
  const asset = catalog.require(refund.asset);
  return facts([
    ['Would be sent', amount(refund.sentUnits, asset)],
    ['To', html`<code>${refund.address}</code>`],
    ['Network fee, borne by the merchant', usd(refund.feeMicroUsd)],
    ['Balance of the merchant now', usd(availableBeforeMicroUsd)],
    ['And afterwards', usd(availableAfterMicroUsd)],
  ]);
}

async function offer(
  of: OperatorPages,
  page: CasePage,
  { call, id }: { call: OperatorCall; id: string },
): Promise<Response> {
  const { form, shell, base, seat } = call;
  const given = amountOf(call);
  if (!given.ok) return page(call, given.error);
  const days = Number(form.optional('days') ?? CLAIM_DAYS_DEFAULT);
  if (!Number.isInteger(days) || days < 1 || days > CLAIM_DAYS_MAX)
    return page(call, validationError([{ field: 'days', message: `must be 1 to ${CLAIM_DAYS_MAX}` }]));
  const done = await of.desk.offerRefund(
    seat,
    {
      of: { subject: form.text('subject') === 'surplus' ? 'surplus' : 'invoice', invoiceId: id },
      amount: given.value,
      feeBearer: form.text('fee_bearer') === 'merchant' ? 'merchant' : 'client',
      ...{ onCheckout: form.isSet('on_checkout'), mails: form.isSet('send_email'), days },
    },
    form.text('form_id'),
  );
  if (!done.ok) return page(call, done.error);
  if (done.value.outcome !== 'done') return shell.done(`${base}/approvals`, 'approval_needed');
  return shell.page({
    title: 'Refund',
    body: html`<p>Pass this link on to the customer. Whoever has it can say where the money goes.</p><p>${copyable(done.value.made.url)}</p><p><a href="${base}/payments/${id}">Back to the payment</a></p>`,
  });
}

export function caseForms({ shell, base }: OperatorCall, { lines }: Timeline, id: string): Markup {
  const at = `${base}/payments/${id}`;
  const open = lines.flatMap((line) =>
    line.code === 'refund_offered' && line.claim.status === 'open' ? [line.claim.id] : [],
  );
  return html`${card(
    'Give the money back',
    html`<details><summary>Send it to an address</summary>${shell.form(
      `${at}/refund/preview`,
      html`${field('to', 'Address', { hint: 'Empty: where the payment came from. Ask the customer: exchanges often pay from addresses that accept no refund.' })}${field('amount', 'Amount', { id: 'amount-sent', inputmode: 'decimal', hint: 'Empty: all that the merchant was credited.' })}${checkbox('force', 'Even if the merchant’s balance becomes negative')}${button('Look first', 'plain')}`,
    )}</details><details><summary>Let the customer enter an address</summary>${shell.form(
      `${at}/offer`,
      html`${shell.formId()}${choice('subject', 'What', [
        ['invoice', 'what was paid'],
        ['surplus', 'only what was too much'],
      ])}${field('amount', 'Amount', { id: 'amount-offered', inputmode: 'decimal', hint: 'Empty: all of it.' })}${choice(
        'fee_bearer',
        'Network fee borne by',
        [
          ['client', 'the customer'],
          ['merchant', 'the merchant'],
        ],
      )}${field('days', 'Days until it expires', { type: 'number', value: String(CLAIM_DAYS_DEFAULT) })}${checkbox('on_checkout', 'The checkout leads to it')}${checkbox('send_email', 'Send it by e-mail')}${button('Offer a refund', 'plain')}`,
    )}</details>${open.map((claim) => shell.form(`${at}/claims/${claim}/withdraw`, button('Withdraw the open offer', 'danger', 'Withdraw this offer?')))}`,
  )}${card('Webhook', shell.form(`${at}/replay`, button('Send the webhook again', 'plain')))}`;
}
