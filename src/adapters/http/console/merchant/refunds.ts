/** Refunds of a merchant: offering one, its page with the link for the customer, withdrawing it. */

import { isGranted } from '../../../../domain/accounts/role.ts';
import { validationError } from '../../../../domain/errors.ts';
import { parseDecimal } from '../../../../domain/money/decimal.ts';
import { CLAIM_DAYS_DEFAULT } from '../../../../domain/payouts/refund-claim.ts';
import { html } from '../../checkout/page/html.ts';
import { asId } from '../../kit/input/query.ts';
import { acted } from '../kit/acted.ts';
import { notFound } from '../kit/gate.ts';
import { amount, button, card, copyable, facts, instant } from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { bearerWord, claimBadge } from '../kit/words.ts';
import { formIdOf, type MerchantPages } from './merchant-pages.ts';
import { invoicePage } from './payments.ts';

export function claimRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  return [
    ofMerchant('refunds.offer', 'POST', '/refunds', (call) => offer(of, call)),
    ofMerchant('payments.read', 'GET', '/refunds/:id', (call) => claimPage(of, call)),
    ofMerchant('refunds.offer', 'POST', '/refunds/:id/link', (call) => linkPage(of, call)),
    ofMerchant('refunds.offer', 'POST', '/refunds/:id/withdraw', (call) => {
      const { id = '' } = call.params;
      return acted(call, of.desk.withdrawRefund(call.desk, id), {
        ...{ at: `/refunds/${id}`, code: 'withdrawn' },
        refused: (problem) => claimPage(of, call, problem),
      });
    }),
  ];
}

async function offer(of: MerchantPages, call: MerchantCall): Promise<Response> {
  const { form, shell, base } = call;
  const given = form.optional('amount');
  const units = given === null ? null : parseDecimal(given);
  if (given !== null && units === null)
    return refused(of, call, validationError([{ field: 'amount', message: 'must be a number' }]));
  const done = await of.desk.offerRefund(
    call.desk,
    {
      of: {
        subject: form.text('subject') === 'surplus' ? 'surplus' : 'invoice',
        invoiceId: form.text('invoice'),
      },
      amount: units,
      feeBearer: form.text('fee_bearer') === 'merchant' ? 'merchant' : 'client',
      ...{ onCheckout: form.isSet('on_checkout'), mails: form.isSet('send_email') },
      days: CLAIM_DAYS_DEFAULT,
    },
    formIdOf(call),
  );
  if (!done.ok) return refused(of, call, done.error);
  const { value } = done;
  if (value.outcome === 'done') return shell.done(`${base}/refunds/${value.made.claim.id}`, 'refund_offered');
  return shell.done(`${base}/approvals`, 'approval_needed');
}

/** The page of the payment, with the form as it was sent. */
function refused(of: MerchantPages, call: MerchantCall, problem: Problem): Promise<Response> {
  return invoicePage(of, { ...call, params: { ...call.params, id: call.form.text('invoice') } }, problem);
}

/** Whoever has the link can take the money: it is shown like a secret. */
async function linkPage(of: MerchantPages, call: MerchantCall): Promise<Response> {
  const { shell, base, params } = call;
  const { id = '' } = params;
  const shown = await of.desk.showRefundLink(call.desk, id);
  if (!shown.ok) return claimPage(of, call, shown.error);
  return shell.page({
    title: 'Link for the customer',
    body: html`<p class="message warn">Whoever has this link can say where the money goes.</p><p>${copyable(shown.value.url)}</p><p><a href="${base}/refunds/${id}">Back to the refund</a></p>`,
  });
}

async function claimPage(
  { application }: MerchantPages,
  { desk, shell, params, base }: MerchantCall,
  problem: Problem | null = null,
): Promise<Response> {
  const id = asId(params.id ?? '');
  const found = id === null ? null : await application.queries.refundClaim(desk.caller.scope, id);
  if (found === null) return notFound(shell);
  const { claim } = found;
  const asset = application.catalog.require(claim.asset);
  const body = html`${card(
    'Details',
    facts([
      ['Status', claimBadge(claim.status)],
      ['Amount, before a network fee', amount(claim.units, asset)],
      ['Network fee borne by', bearerWord(claim.feeBearer)],
      ['Address of the customer', claim.address],
      [
        'Payment',
        claim.invoiceId === null
          ? null
          : html`<a href="${base}/payments/${claim.invoiceId}">${claim.invoiceId}</a>`,
      ],
      ['Offered by', claim.orderedBy ?? 'you'],
      ['Offered', instant(claim.createdAt)],
      ['Ends', instant(claim.expiresAt)],
    ]),
  )}${
    claim.status === 'open' && isGranted(desk.role, 'refunds.offer')
      ? html`<div class="actions">${shell.form(`${base}/refunds/${claim.id}/link`, button('Show the link for the customer', 'plain'), { class: 'inline' })}${shell.form(`${base}/refunds/${claim.id}/withdraw`, button('Withdraw it', 'danger', 'Withdraw this refund?'), { class: 'inline' })}</div>`
      : null
  }`;
  return shell.page({ title: 'Refund', body, problem, ...(problem === null ? {} : { status: 400 }) });
}
