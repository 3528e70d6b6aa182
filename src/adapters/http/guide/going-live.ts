/** /docs/going-live: what to prepare before customers pay. */
import { html } from '../checkout/page/html.ts';
import { commandOf } from './command.ts';
import { code, defined, type GuidePage, joined, listed, said, section } from './frame.ts';

/** The prefixes of the other providers' APIs. A test compares them with the routes. */
const COMPATIBLE = [
  '/compat/cryptomus/v1',
  '/compat/heleket/v1',
  '/compat/nowpayments/v1',
  '/compat/coinpayments/v1',
  '/compat/coinpayments',
];

export function goingLive(baseUrl: string): GuidePage {
  return {
    path: '/docs/going-live',
    title: 'Going live',
    lead: 'What to prepare with the operator and in your own code before the first customer pays.',
    content: joined([
      section('keys', 'Keys', [
        listed([
          'Your live key begins with `sk_live_`. It works once the operator has verified your account. Until then requests are refused with `KYC_REQUIRED`.',
          'The key pays out and signs webhooks. Keep it on your server, out of browsers, apps, logs and repositories. CORS is not supported.',
          'Verify webhooks with the webhook secret (`whsec_...`), so that the receiver does not need the key.',
          'Ask the operator to allow payouts from your servers only, in `allowed_subnets`. While that list is empty, payouts are refused, also in the sandbox.',
        ]),
      ]),
      section('rotate', 'Changing a key', [
        html`<p>${said('The operator creates a new key. Both keys work for a day, unless you agree on another time. Meanwhile each webhook has both signatures.')}</p>`,
        html`<ol>${[
          'A receiver that uses the webhook secret needs no change. A receiver that uses the key must accept `X-Service-Signature` or `X-Service-Signature-Previous`.',
          'Give the new key to your receiver and to your API client, in any order. From the first request with the new key on, `X-Service-Signature` is made with it.',
          'After that time the old key is refused and signs nothing. If a key was stolen, call the operator to end it at once.',
        ].map((step) => html`<li>${said(step)}</li>`)}</ol>`,
      ]),
      section('repeating', 'Requests without a response', [
        listed([
          'Send an `Idempotency-Key` with every request that creates something, a different one for each: for example `invoice-1001` and `payout-1001` for an order. It is stored for 24 hours.',
          'Store the `X-Uniq-Id` of a payout before you send it, and repeat the request with the same one. After two hours read `GET /payouts` instead.',
          'Use time-outs of 30 seconds, pauses that double, and `Retry-After` where it is present.',
        ]),
      ]),
      section('health', 'Monitoring', [
        html`<p>${said('`/health` reports that the process runs, `/ready` that it can serve requests. Neither needs a key.')}</p>`,
        code(`curl -s "${baseUrl}/health"\ncurl -s "${baseUrl}/ready"`),
        html`<p>The assets that customers can pay with now:</p>`,
        code(commandOf(baseUrl, { path: '/assets' })),
        listed([
          'Raise an alert when no webhook has come for longer than usual, and when `GET /events` has events that you do not have.',
          'Compare your orders with `GET /ledger` once a day.',
        ]),
      ]),
      section('switching', 'Coming from another provider', [
        html`<p>${said('You can keep a receiver that was written for another provider. Set `webhook_format` when you create the invoice, and use your API key as the secret of the receiver.')}</p>`,
        defined([
          ['native_v2', 'The format of this API, which the guide describes.'],
          ['cryptomus, heleket', 'The signature is `sign` in the body.'],
          ['nowpayments', 'IPN, with the signature in `x-nowpayments-sig`.'],
          ['coinpayments', 'IPN as a form, with the signature in `HMAC`.'],
          ['coinpayments_v2', 'Webhooks with `X-CoinPayments-Signature`. The client id is your merchant id.'],
        ]),
        html`<p>${said('You can keep an API client too, if its base URL can be set to one of these:')}</p>`,
        listed(COMPATIBLE.map((prefix) => `\`${baseUrl}${prefix}\``)),
        html`<p>${said('Use your API key for every secret of the client. The source has the details in docs/compat.md and docs/webhook-formats.md.')}</p>`,
      ]),
      section('checklist', 'Checklist', [
        listed([
          'Your code passes the steps of the guide in the sandbox, also for partial payments and overpayments.',
          'The receiver verifies signatures, responds within a second, and processes each event once.',
          'After every start your code reads missed events from `GET /events`.',
          'Your shop delivers for `success` and `paid_over` only.',
          'Only your servers can read the live key.',
          'The first live invoice is a small one that you pay yourself.',
        ]),
      ]),
    ]),
  };
}
