/** /docs/going-live: what to settle before customers pay. */
import { html } from '../checkout/page/html.ts';
import { commandOf } from './command.ts';
import { code, defined, type GuidePage, joined, listed, said, section } from './frame.ts';

/** Where the APIs of other providers are served; a test holds it against them. */
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
    lead: 'What to settle with the operator and in your own code before the first customer pays.',
    content: joined([
      section('keys', 'Keys', [
        listed([
          'Your live key begins with `sk_live_`. It works once the operator has verified you (`KYC_REQUIRED` before).',
          'It pays out and it signs webhooks: keep it on your server, out of browsers, apps, logs and repositories. There is no CORS.',
          'Let the receiver of webhooks check with the webhook secret (`whsec_...`) instead, so that it need not hold the key.',
          'Have payouts allowed from your servers only: the operator keeps the list `allowed_subnets`. While it is empty no payout is taken, in the sandbox neither.',
        ]),
      ]),
      section('rotate', 'Changing a key', [
        html`<p>${said('The operator makes a new key, and both work for a day unless you agree on another time. Each webhook then has both signatures.')}</p>`,
        html`<ol>${[
          'A receiver that checks with the webhook secret has nothing to change. Let one that checks with the key take `X-Service-Signature` or `X-Service-Signature-Previous`.',
          'Give the new key to your receiver and to your calls, in any order. From the first call with it on, the new key makes `X-Service-Signature`.',
          'At the end the old key is refused and signs nothing more. A stolen key is ended at once: call the operator.',
        ].map((step) => html`<li>${said(step)}</li>`)}</ol>`,
      ]),
      section('repeating', 'Calls that fail half-way', [
        listed([
          'Send an `Idempotency-Key` with whatever makes something, another one for each thing: `invoice-1001` and `payout-1001` will do for an order. It is kept for 24 hours.',
          'Store the `X-Uniq-Id` of a payout before you send it, and repeat with the same one. After two hours look into `GET /payouts` instead.',
          'Time-outs of 30 seconds, pauses that double, and `Retry-After` where it is there.',
        ]),
      ]),
      section('health', 'Watching it', [
        html`<p>${said('`/health` says that the process lives, `/ready` that it can serve. Neither needs a key.')}</p>`,
        code(`curl -s "${baseUrl}/health"\ncurl -s "${baseUrl}/ready"`),
        html`<p>What can be paid with at this moment:</p>`,
        code(commandOf(baseUrl, { path: '/assets' })),
        listed([
          'Alert when no webhook came for longer than usual, and when `GET /events` is ahead of what you have.',
          'Compare your orders with `GET /ledger` once a day.',
        ]),
      ]),
      section('switching', 'Coming from another provider', [
        html`<p>${said('A receiver of webhooks that was written for another provider can stay: name its format as `webhook_format` when you create the invoice, and give it your API key as its secret.')}</p>`,
        defined([
          ['native_v2', 'This API: what the guide describes.'],
          ['cryptomus, heleket', 'A `sign` in the body.'],
          ['nowpayments', 'IPN with `x-nowpayments-sig`.'],
          ['coinpayments', 'IPN with `HMAC`, as a form.'],
          ['coinpayments_v2', 'Webhooks with `X-CoinPayments-Signature`. The client id is your merchant id.'],
        ]),
        html`<p>${said('Its API client can stay as well, where its base URL can be set to one of these:')}</p>`,
        listed(COMPATIBLE.map((prefix) => `\`${baseUrl}${prefix}\``)),
        html`<p>${said('Every secret of the client is your API key. Field by field: docs/compat.md and docs/webhook-formats.md of the source.')}</p>`,
      ]),
      section('checklist', 'Checklist', [
        listed([
          'The sandbox walk of the guide works with your code, paid in part and paid over too.',
          'The receiver checks signatures, answers within a second, and takes an event once.',
          'What was missed is read from `GET /events` after every start.',
          'Goods are handed out for `success` and `paid_over`, and for nothing else.',
          'Nobody but your servers can read the live key.',
          'The first live invoice is a small one that you pay yourself.',
        ]),
      ]),
    ]),
  };
}
