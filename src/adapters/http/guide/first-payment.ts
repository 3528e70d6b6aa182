/** /docs/first-payment: from a key to a paid invoice and a payout, in the sandbox. */
import { INVOICE_STATUSES, type InvoiceStatus, isDelivered } from '../../../domain/invoices/invoice.ts';
import { PAYOUT_STATUSES, type PayoutStatus } from '../../../domain/payouts/payout.ts';
import { html } from '../checkout/page/html.ts';
import { CREATED_INVOICE_EXAMPLE } from '../invoices/invoice-view.ts';
import { commandOf } from './command.ts';
import { code, defined, type GuidePage, joined, listed, said, section } from './frame.ts';

const INVOICE_MEANINGS: Readonly<Record<InvoiceStatus, string>> = {
  created: 'The invoice is waiting for a payment.',
  confirming: 'A payment was seen and is not final yet. Show it to the customer, but do not deliver.',
  partially_paid:
    'Less than the amount was paid. The customer may pay the rest until the invoice expires. With `billing_type` `VARY` this status is final, and the part is in your balance.',
  paid_over: 'More than the amount was paid. Deliver. All of it is in your balance.',
  success: 'The invoice is paid. Deliver.',
  failed: 'The payment is no longer on the chain. Do not deliver.',
  high_risk: 'The risk check holds the payment until the operator decides. Do not deliver yet.',
  expired: 'The invoice expired, or you cancelled it, before a payment was seen.',
  cancelled: 'The invoice expired with only a part paid. That part is in your balance.',
  refunded: 'The operator sent the payment back.',
};

const PAYOUT_MEANINGS: Readonly<Record<PayoutStatus, string>> = {
  pending: 'The payout is accepted. Amount and fee are reserved in your balance.',
  processing: 'The payout is signed and sent to its network.',
  success: 'The network confirmed the payout.',
  failed: 'The payout was not paid. The money is back in your balance.',
  cancelled: 'The operator stopped the payout. The money is back in your balance.',
};

const SHOWN = [
  'order_id',
  'status',
  'asset',
  'amount',
  'initial_fiat_amount',
  'address_to',
  'expires_at',
] as const;

export function firstPayment(baseUrl: string): GuidePage {
  return {
    path: '/docs/first-payment',
    title: 'First payment',
    lead: 'Create an invoice, simulate its payment, and pay out a part: in the sandbox, without real money.',
    content: joined([
      section('key', '1. Take your sandbox key', [
        html`<p>${said('The operator of this service gives you the key. It begins with `sk_sandbox_` and works on an environment of its own, with the same paths and without a chain.')}</p>`,
        code('export KEY=sk_sandbox_...'),
      ]),
      section('create', '2. Create an invoice', [
        html`<p>${said('The invoice is for 25 US dollars, paid in USDT on Tron. Without `asset` the customer chooses on the checkout. With an `Idempotency-Key` you may repeat the request: it creates one invoice.')}</p>`,
        code(
          commandOf(baseUrl, {
            path: '/invoices',
            headers: { 'idempotency-key': 'order-1001' },
            body: { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron', extra: 'order-1001' },
          }),
        ),
        html`<p>The response, shortened:</p>`,
        code(answerWith(baseUrl)),
        code('export ID=...   # the order_id of your response'),
      ]),
      section('checkout', '3. Send the customer to the checkout', [
        html`<p>${said('Redirect to `payment_url`: a page with amount, address, QR code and time left, which updates itself. Or show `amount` and `address_to` on your own page. `on_paid_url` and `on_cancel_url` of the invoice lead back to you. A visit to `on_paid_url` does not prove a payment. Only the status does.')}</p>`,
      ]),
      section('pay', '4. Simulate the payment', [
        html`<p>${said('In the sandbox you decide what happens. The checkout has buttons for it as well.')}</p>`,
        code(commandOf(baseUrl, { path: '/invoices/$ID/simulate', body: { status: 'success' } })),
      ]),
      section('read', '5. See that it is paid', [
        html`<p>You get a <a href="/docs/webhooks">webhook</a>. You may also read the invoice and your balance:</p>`,
        code(commandOf(baseUrl, { path: '/invoices/$ID' })),
        code(commandOf(baseUrl, { path: '/balance' })),
        html`<p>${said('Decide by `status`, never by amounts that you add up yourself.')}</p>`,
      ]),
      section('invoice-statuses', 'Statuses of an invoice', [
        defined(INVOICE_STATUSES.map((status) => [status, invoiceMeaning(status)])),
      ]),
      section('payout', '6. Pay out', [
        html`<p>${said('Each payout has its own UUID in `X-Uniq-Id`. The same UUID is refused for two hours, so nothing is paid twice. After a time-out repeat the request with the same UUID: `DUPLICATE` then has the id of the payout. The request must come from an address of your `allowed_subnets`, also in the sandbox. The operator maintains that list.')}</p>`,
        code('export PAYOUT=$(uuidgen)   # store it before you pay, and use it in every repetition'),
        code(
          commandOf(baseUrl, {
            path: '/payouts',
            headers: { 'x-uniq-id': '$PAYOUT' },
            body: { amount: 10, asset: 'usdt_tron', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
          }),
        ),
        code(commandOf(baseUrl, { path: '/payouts' })),
        defined(PAYOUT_STATUSES.map((status) => [status, PAYOUT_MEANINGS[status]])),
      ]),
      section('more', 'What else there is', [
        listed([
          '`POST /invoices/{id}/cancel` ends an invoice without a payment.',
          '`POST /permanent` returns a permanent deposit address for one of your users. Each payment to it opens an invoice.',
          '`GET /ledger` lists every entry behind your balance. With `format=csv` it returns one file. Invoices and payouts have the same format.',
          '`GET /assets` lists the assets that customers can pay with, and the minimum of each.',
        ]),
        html`<p>The <a href="/docs/reference">reference</a> has every endpoint.</p>`,
      ]),
    ]),
  };
}

function invoiceMeaning(status: InvoiceStatus): string {
  const notSent = isDelivered(status) || status === 'created' ? '' : ' There is no webhook for it.';
  return INVOICE_MEANINGS[status] + notSent;
}

function answerWith(baseUrl: string): string {
  const shown = Object.fromEntries(SHOWN.map((field) => [field, CREATED_INVOICE_EXAMPLE[field]]));
  const payment_url = `${baseUrl}/checkout/${CREATED_INVOICE_EXAMPLE.external_id}`;
  return JSON.stringify({ ok: true, result: { ...shown, payment_url } }, null, 2);
}
