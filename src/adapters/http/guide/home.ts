/** /docs: what the API is, and links to the pages of the guide. */
import { html } from '../checkout/page/html.ts';
import { code, type GuidePage, joined, listed, PLACES, said, section } from './frame.ts';

const [, ...FURTHER] = PLACES;

export function home(baseUrl: string): GuidePage {
  return {
    path: '/docs',
    title: 'Guide',
    lead: 'Accept crypto payments over one REST API: invoices, webhooks, balance and payouts.',
    content: joined([
      html`<ul>${FURTHER.map(({ path, title, about }) => html`<li><a href="${path}">${title}</a>: ${about}</li>`)}</ul>`,
      section('basics', 'In short', [
        code(`${baseUrl}/api/v2`),
        listed([
          'Every request has an `x-api-key` header. `sk_sandbox_...` is for the sandbox, `sk_live_...` for real payments.',
          'Bodies are JSON. Responses are `{"ok": true, "result"}` or `{"ok": false, "error": {"code", "message", "details"}}`.',
          'Amounts are exact decimals. Times are Unix seconds. Absent values are `null`.',
          'Requests that create something accept an `Idempotency-Key`, which makes it safe to repeat them.',
          'New fields may be added at any time. Ignore fields that you do not know.',
        ]),
      ]),
      section('flow', 'How a payment works', [
        html`<ol>${[
          'Your server creates an invoice and sends the customer to its `payment_url`.',
          'The customer pays on the chain. The checkout page updates itself.',
          'Your server gets signed webhooks: `confirming`, and `success` once the payment is final.',
          'The amount is in your balance. A payout sends it on.',
        ].map((step) => html`<li>${said(step)}</li>`)}</ol>`,
      ]),
      section('tools', 'For tools', [
        html`<p>The <a href="/openapi.json">OpenAPI document</a> describes every endpoint and webhook with examples, for generated clients, API tools and assistants.</p>`,
      ]),
    ]),
  };
}
