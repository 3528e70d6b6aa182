/** /docs: what the API is, and where the guide goes on. */
import { html } from '../checkout/page/html.ts';
import { code, type GuidePage, joined, listed, PLACES, said, section } from './frame.ts';

const [, ...FURTHER] = PLACES;

export function home(baseUrl: string): GuidePage {
  return {
    path: '/docs',
    title: 'Guide',
    lead: 'Take crypto payments over one REST API: invoices, webhooks, balance and payouts.',
    content: joined([
      html`<ul>${FURTHER.map(({ path, title, about }) => html`<li><a href="${path}">${title}</a>: ${about}</li>`)}</ul>`,
      section('basics', 'In short', [
        code(`${baseUrl}/api/v2`),
        listed([
          'Every call carries `x-api-key`. `sk_sandbox_...` drives the sandbox, `sk_live_...` the real thing.',
          'Bodies are JSON. Answers are `{"ok": true, "result"}` or `{"ok": false, "error": {"code", "message", "details"}}`.',
          'Amounts are exact decimals. Times are Unix seconds. What is absent is `null`.',
          'Calls that make something take an `Idempotency-Key`: repeating them is safe.',
          'New fields may come at any time: take them without complaint.',
        ]),
      ]),
      section('flow', 'How a payment goes', [
        html`<ol>${[
          'Your server creates an invoice and sends the customer to its `payment_url`.',
          'The customer pays on the chain. The checkout follows by itself.',
          'Your server gets signed webhooks: `confirming`, and `success` once the payment is final.',
          'The amount is in your balance, and a payout sends it on.',
        ].map((step) => html`<li>${said(step)}</li>`)}</ol>`,
      ]),
      section('tools', 'For tools', [
        html`<p>The <a href="/openapi.json">OpenAPI document</a> describes every call and webhook, with examples: for generated clients, API tools and assistants.</p>`,
      ]),
    ]),
  };
}
