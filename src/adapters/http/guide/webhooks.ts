/** /docs/webhooks: what is sent, how to verify it, receivers to copy, and how to miss nothing. */
import { html } from '../checkout/page/html.ts';
import { DELIVERY, HEADERS } from '../openapi/webhooks.ts';
import { TOLD_INVOICE_EXAMPLE } from '../webhooks/event-view.ts';
import { commandOf } from './command.ts';
import { code, defined, folded, type GuidePage, joined, listed, said, section } from './frame.ts';
import type { Receiver } from './receivers.ts';

export function webhooks(baseUrl: string, receivers: readonly Receiver[]): GuidePage {
  return {
    path: '/docs/webhooks',
    title: 'Webhooks',
    lead: 'A signed POST to your server for each change that matters, and a list of all of them to read later.',
    content: joined([
      section('rules', 'What a receiver does', [
        html`<ol>${[
          'It reads the body as bytes, before anything parses it.',
          'It compares the signature in constant time, and responds with 401 if it is wrong.',
          'It stores the event and responds with 2xx at once. It does its work after the response.',
          'It processes each event once. It ignores an event of an `order_id` whose `event_seq` is not greater than the last one.',
          'It decides by `status`, and ignores statuses and fields that it does not know.',
        ].map((rule) => html`<li>${said(rule)}</li>`)}</ol>`,
        html`<p>${said(DELIVERY)}</p>`,
        html`<p>${said('Webhooks go to the `notify_url` of the invoice, or else to the `callback_url` of the merchant.')}</p>`,
      ]),
      section('signatures', 'Two signatures: check one', [
        html`<p>${said('`webhook-signature` follows Standard Webhooks (standardwebhooks.com, with libraries in ten languages). Its key is your webhook secret (`whsec_...`), which you get together with the API key. Use this signature if you can: your receiver refuses webhooks that are older than five minutes, and does not need the key that pays out.')}</p>`,
        html`<p>${said('`X-Service-Signature` is the hex HMAC-SHA256 of the body, keyed with the API key. While an old and a new key both work, `X-Service-Signature-Previous` has the signature by the other key. Accept either.')}</p>`,
        html`<p>All headers:</p>`,
        defined(HEADERS.map(([name, , description]) => [name, description])),
      ]),
      section('receivers', 'Receivers in five languages', [
        html`<p>${said('Each verifies `webhook-signature` with the secret in `WEBHOOK_SECRET`, and listens on port 9000. The TypeScript one uses the client of this service, the Ruby one the gem `webrick`, and the others their standard library.')}</p>`,
        ...receivers.map(({ language, source }) => folded(language, source.trimEnd())),
        html`<p>${said('Put your own work where they print. Update an order only if its stored `event_seq` is smaller, and store the new `event_seq` in the same statement. Then webhooks that come twice or late do no harm.')}</p>`,
      ]),
      section('body', 'The body', [
        html`<p>${said('The body is the invoice as `GET /invoices/{id}` returns it, with `event_seq`. In the sandbox it also has `"sandbox": true`. The body of a payout webhook, which the operator can enable for you, is the payout with an `event` such as `payout.success`.')}</p>`,
        folded('A paid invoice', JSON.stringify(TOLD_INVOICE_EXAMPLE, null, 2)),
      ]),
      section('catching-up', 'Missing nothing', [
        html`<p>${said('Events are numbered from 1 without gaps. Store `next_after` of the response, and send it as `after` in the next request: after an outage, or every few minutes in place of webhooks.')}</p>`,
        code(commandOf(baseUrl, { path: '/events?after=0' })),
        html`<p>Or request undelivered webhooks again:</p>`,
        code(commandOf(baseUrl, { path: '/notifications/replay', body: { undelivered: true } })),
        html`<p>Every attempt, with the response of your server:</p>`,
        code(commandOf(baseUrl, { path: '/notifications' })),
      ]),
      section('network', 'On your network', [
        listed([
          'The URL must be public, with http or https. Private addresses are refused unless the operator allows the host.',
          'Redirects are not followed.',
          'No webhook is sent for `expired` and `refunded`. Read the invoice.',
        ]),
      ]),
    ]),
  };
}
