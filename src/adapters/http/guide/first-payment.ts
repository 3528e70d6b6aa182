/** /docs/first-payment: from a key to a paid invoice and a payout, in the sandbox. */
import { INVOICE_STATUSES, type InvoiceStatus, isDelivered } from '../../../domain/invoices/invoice.ts';
import { PAYOUT_STATUSES, type PayoutStatus } from '../../../domain/payouts/payout.ts';
import { html } from '../checkout/page/html.ts';
import { CREATED_INVOICE_EXAMPLE } from '../invoices/invoice-view.ts';
import { commandOf } from './command.ts';
import { code, defined, type GuidePage, joined, listed, said, section } from './frame.ts';

const INVOICE_MEANINGS: Readonly<Record<InvoiceStatus, string>> = {
  created: 'It waits for a payment.',
  confirming: 'A payment was seen and is not final yet. Show it, and hand out nothing.',
  partially_paid:
    'Less than the amount came. The customer may pay the rest until the time is over; with `billing_type` `VARY` this is the end, and what came is yours.',
  paid_over: 'More than the amount came. Hand out the goods; all of it is in your balance.',
  success: 'Paid. Hand out the goods.',
  failed: 'The payment left the chain again. Hand out nothing.',
  high_risk: 'The payment is held by the risk check until the operator decides. Hand out nothing meanwhile.',
  expired: 'The time ran out, or you cancelled it, before a payment was seen.',
  cancelled: 'The time ran out with only a part paid. That part is in your balance.',
  refunded: 'The operator sent the payment back.',
};

const PAYOUT_MEANINGS: Readonly<Record<PayoutStatus, string>> = {
  pending: 'Accepted; amount and fee are reserved in your balance.',
  processing: 'Signed and sent to its network.',
  success: 'Confirmed by its network.',
  failed: 'Not paid. The money is back in your balance.',
  cancelled: 'Stopped by the operator. The money is back in your balance.',
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
    lead: 'Create an invoice, let it be paid, and pay some of it out: in the sandbox, where nothing is real.',
    content: joined([
      section('key', '1. Take your sandbox key', [
        html`<p>${said('It begins with `sk_sandbox_` and drives an environment of its own: the same paths, and no chain. The operator of this service gives it to you.')}</p>`,
        code('export KEY=sk_sandbox_...'),
      ]),
      section('create', '2. Create an invoice', [
        html`<p>${said('25 US dollars, to be paid in USDT on Tron. Leave `asset` away, and the customer chooses on the checkout. With an `Idempotency-Key` you may repeat the call as often as you like: one invoice is made.')}</p>`,
        code(
          commandOf(baseUrl, {
            path: '/invoices',
            headers: { 'idempotency-key': 'order-1001' },
            body: { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron', extra: 'order-1001' },
          }),
        ),
        html`<p>The answer, shortened:</p>`,
        code(answerWith(baseUrl)),
        code('export ID=...   # the order_id of your answer'),
      ]),
      section('checkout', '3. Send the customer to the checkout', [
        html`<p>${said('Redirect to `payment_url`: a page with amount, address, QR code and time left, which changes by itself. Or show `amount` and `address_to` yourself. `on_paid_url` and `on_cancel_url` of the invoice lead back to you. That somebody came back there proves no payment: the status does.')}</p>`,
      ]),
      section('pay', '4. Let it be paid', [
        html`<p>${said('In the sandbox you say what happens. The page of the checkout has buttons for it as well.')}</p>`,
        code(commandOf(baseUrl, { path: '/invoices/$ID/simulate', body: { status: 'success' } })),
      ]),
      section('read', '5. See that it is paid', [
        html`<p>A <a href="/docs/webhooks">webhook</a> tells you. You may also ask:</p>`,
        code(commandOf(baseUrl, { path: '/invoices/$ID' })),
        code(commandOf(baseUrl, { path: '/balance' })),
        html`<p>${said('Go by `status`, never by an amount that you add up yourself.')}</p>`,
      ]),
      section('invoice-statuses', 'Statuses of an invoice', [
        defined(INVOICE_STATUSES.map((status) => [status, invoiceMeaning(status)])),
      ]),
      section('payout', '6. Pay out', [
        html`<p>${said('A payout carries a UUID of its own in `X-Uniq-Id`, which is refused when it comes again within two hours: so nothing is paid twice. After a time-out repeat the call with the same one. `DUPLICATE` then names the payout that was made. The call must come from an address of your `allowed_subnets`, which the operator keeps, in the sandbox too.')}</p>`,
        code('export PAYOUT=$(uuidgen)   # store it before you pay, and keep it for every repetition'),
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
          '`POST /invoices/{id}/cancel` ends an invoice that nobody has begun to pay.',
          '`POST /permanent` gives a user of yours a deposit address that stays; each payment to it opens an invoice.',
          '`GET /ledger` lists every booking behind your balance. With `format=csv` it comes as one file, as invoices and payouts do.',
          '`GET /assets` lists what can be paid with, and from which amount.',
        ]),
        html`<p>All of it is in the <a href="/docs/reference">reference</a>.</p>`,
      ]),
    ]),
  };
}

function invoiceMeaning(status: InvoiceStatus): string {
  const told = isDelivered(status) || status === 'created' ? '' : ' No webhook tells it.';
  return INVOICE_MEANINGS[status] + told;
}

function answerWith(baseUrl: string): string {
  const shown = Object.fromEntries(SHOWN.map((field) => [field, CREATED_INVOICE_EXAMPLE[field]]));
  const payment_url = `${baseUrl}/checkout/${CREATED_INVOICE_EXAMPLE.external_id}`;
  return JSON.stringify({ ok: true, result: { ...shown, payment_url } }, null, 2);
}
