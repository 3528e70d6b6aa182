/** /docs/webhooks: what is sent, how to check it, receivers to copy, and how to miss nothing. */
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
    lead: 'A signed POST to your server for each change that matters, and a list of all of them to read again.',
    content: joined([
      section('rules', 'What a receiver does', [
        html`<ol>${[
          'It takes the body as bytes, before anything parses it.',
          'It checks the signature in constant time, and answers 401 where it is not right.',
          'It stores what it was told and answers 2xx at once. The work comes after the answer.',
          'It takes each event once: `order_id` with an `event_seq` that is not greater than the last one is old news.',
          'It goes by `status`, and takes statuses and fields that it does not know without complaint.',
        ].map((rule) => html`<li>${said(rule)}</li>`)}</ol>`,
        html`<p>${said(DELIVERY)}</p>`,
        html`<p>${said('Webhooks go to the `notify_url` of the invoice, else to the `callback_url` of the merchant.')}</p>`,
      ]),
      section('signatures', 'Two signatures: check one', [
        html`<p>${said('`webhook-signature` follows Standard Webhooks (standardwebhooks.com, with libraries in ten languages), keyed with a webhook secret (`whsec_...`) of its own. What is older than five minutes is refused, and your receiver need not hold the key that pays out. Take this one where you can: you get the secret with the key.')}</p>`,
        html`<p>${said('`X-Service-Signature` is the hex HMAC-SHA256 of the body, keyed with the API key. While the key is changed, `X-Service-Signature-Previous` is there with the signature by the other key: take either.')}</p>`,
        html`<p>All headers:</p>`,
        defined(HEADERS.map(([name, , description]) => [name, description])),
      ]),
      section('receivers', 'Receivers in five languages', [
        html`<p>${said('Each checks `webhook-signature` with the secret in `WEBHOOK_SECRET`, and listens on port 9000. TypeScript uses our client, Ruby the gem `webrick`, the others their standard library.')}</p>`,
        ...receivers.map(({ language, source }) => folded(language, source.trimEnd())),
        html`<p>${said('Put your work where they print. Change the order only where the `event_seq` that is stored with it is smaller, and store the new one in the same statement: then what comes twice, or late, does no harm.')}</p>`,
      ]),
      section('body', 'The body', [
        html`<p>${said('The invoice as `GET /invoices/{id}` answers it, and `event_seq`. In the sandbox `"sandbox": true` is there, too. Where the operator switched on webhooks about payouts, the body is the payout, with an `event` such as `payout.success`.')}</p>`,
        folded('A paid invoice', JSON.stringify(TOLD_INVOICE_EXAMPLE, null, 2)),
      ]),
      section('catching-up', 'Missing nothing', [
        html`<p>${said('Events are numbered from 1 without gaps. Keep the `next_after` of the answer, and ask with it again: after an outage, or every few minutes instead of webhooks.')}</p>`,
        code(commandOf(baseUrl, { path: '/events?after=0' })),
        html`<p>Or have those sent again that nobody took:</p>`,
        code(commandOf(baseUrl, { path: '/notifications/replay', body: { undelivered: true } })),
        html`<p>Every attempt, and what your server answered:</p>`,
        code(commandOf(baseUrl, { path: '/notifications' })),
      ]),
      section('network', 'On your network', [
        listed([
          'The URL is public, http or https. Private addresses are refused unless the operator allows the host.',
          'Redirects are not followed.',
          'Webhooks about `expired` and `refunded` are never sent. Read the invoice.',
        ]),
      ]),
    ]),
  };
}
