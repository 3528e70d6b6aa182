/** What a role may do with a payment, on its page. */
import { isGranted } from '../../../../domain/accounts/role.ts';
import { isAcceptable } from '../../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../../domain/invoices/invoice-record.ts';
import { SIMULATED_STATUSES } from '../../../../domain/invoices/invoice-simulation.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import type { FormParts } from '../kit/form-parts.ts';
import { button, card, checkbox, choice, usd } from '../kit/parts.ts';
import type { MerchantCall } from '../kit/route.ts';
import { invoiceWord } from '../kit/words.ts';

function limitNote(limitMicroUsd: bigint | null): Markup | null {
  if (limitMicroUsd === null) return null;
  return html`<p class="hint">Within 24 hours you may offer and approve refunds of ${usd(limitMicroUsd)} together, withdrawn ones included. What is above that waits for somebody else.</p>`;
}

export function invoiceActions(
  { desk, shell, base, environment, form }: MerchantCall,
  invoice: Invoice,
  { field }: FormParts,
): Markup {
  const may = (permission: Parameters<typeof isGranted>[1]): boolean => isGranted(desk.role, permission);
  const at = `${base}/payments/${invoice.id}`;
  return html`<div class="actions">${
    may('webhooks.resend')
      ? shell.form(`${at}/webhook`, button('Send the webhook again', 'plain'), { class: 'inline' })
      : null
  }${
    may('payments.create') && invoice.status === 'created'
      ? shell.form(`${at}/cancel`, button('Cancel the invoice', 'danger', 'Cancel this invoice?'), {
          class: 'inline',
        })
      : null
  }${
    may('payments.decide') && isAcceptable(invoice)
      ? shell.form(
          `${at}/accept`,
          button('Accept it as paid', 'plain', 'The customer owes nothing more then. Accept it as paid?'),
          { class: 'inline' },
        )
      : null
  }</div>${
    may('refunds.offer') && invoice.funds.creditedUnits > 0n && invoice.status !== 'refunded'
      ? card(
          'Refund',
          html`${limitNote(desk.refundLimitMicroUsd)}${shell.form(
            `${base}/refunds`,
            html`${shell.formId()}<input type="hidden" name="invoice" value="${invoice.id}">${choice(
              'subject',
              'What is given back',
              [
                ['invoice', 'the payment, or a part of it'],
                ['surplus', 'only what was paid too much'],
              ],
              { chosen: form.text('subject') },
            )}${field('amount', 'Amount, in the asset that was paid', { inputmode: 'decimal', value: form.text('amount'), hint: 'Empty: all that is left of it.' })}${choice(
              'fee_bearer',
              'Network fee borne by',
              [
                ['client', 'the customer'],
                ['merchant', 'you'],
              ],
              { chosen: form.text('fee_bearer') },
            )}${checkbox('on_checkout', 'The customer’s page leads to it', { checked: form.isSet('on_checkout') })}${checkbox('send_email', 'Send the link by e-mail, if the address is known', { checked: form.isSet('send_email') })}${button('Offer a refund')}`,
          )}`,
        )
      : null
  }${
    environment === 'sandbox' && may('sandbox.simulate')
      ? card(
          'Simulator',
          shell.form(
            `${at}/simulate`,
            html`${choice(
              'status',
              'Becomes',
              SIMULATED_STATUSES.map((one) => [one, invoiceWord(one)] as const),
            )}${button('Simulate', 'plain')}`,
            { class: 'row' },
          ),
        )
      : null
  }`;
}
