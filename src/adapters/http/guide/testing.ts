/** /docs/testing: the sandbox, simulated payments, and test webhooks. */

import { SIMULATED_STATUSES } from '../../../domain/invoices/invoice-simulation.ts';
import { WEBHOOK_FORMATS } from '../../../domain/webhooks/webhook-format.ts';
import { html } from '../checkout/page/html.ts';
import { commandOf } from './command.ts';
import { code, type GuidePage, joined, listed, said, section } from './frame.ts';

const HOOK = 'https://shop.example/webhooks';

export function testing(baseUrl: string): GuidePage {
  return {
    path: '/docs/testing',
    title: 'Testing',
    lead: 'Test every outcome before a customer meets it. Nothing here moves money.',
    content: joined([
      section('sandbox', 'The sandbox', [
        listed([
          'A key that begins with `sk_sandbox_` uses the same paths, but has its own invoices, balance, ledger and webhooks. It never reads or changes live data.',
          'The sandbox uses no chain. Its addresses only look real. Never pay to one.',
          'Webhooks have `X-Service-Sandbox: true`, and are signed with the sandbox key.',
          'The sandbox works before your account is verified. Payouts must come from your `allowed_subnets` here too.',
        ]),
      ]),
      section('simulate', 'Simulate an invoice', [
        html`<p>Create one first:</p>`,
        code(
          commandOf(baseUrl, {
            path: '/invoices',
            body: { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron' },
          }),
        ),
        html`<p>${said('Then set one of the statuses below. `paid_amount` is the amount paid, in the currency of the invoice. The response has the outcome of the webhook.')}</p>`,
        listed(SIMULATED_STATUSES.map((status) => `\`${status}\``)),
        code(
          commandOf(baseUrl, {
            path: '/invoices/$ID/simulate',
            body: { status: 'partially_paid', paid_amount: 12.5, notify_url: HOOK },
          }),
        ),
        html`<p>${said('In the sandbox the checkout (`payment_url`) has buttons that pay all of it, half of it, or too much.')}</p>`,
      ]),
      section('webhooks', 'Test your receiver', [
        html`<p>This sends a signed test webhook at once and returns its outcome:</p>`,
        code(commandOf(baseUrl, { path: '/notifications/test', body: { url: HOOK } })),
        html`<p>${said('With a `status` or a `format` the body looks like an invoice, and contains `sample`. A test is not an event and has no number.')}</p>`,
        code(
          commandOf(baseUrl, {
            path: '/notifications/test',
            body: { url: HOOK, status: 'paid_over', format: 'native_v2' },
          }),
        ),
        html`<p>Formats:</p>`,
        listed(WEBHOOK_FORMATS.map((format) => `\`${format}\``)),
      ]),
      section('try', 'Worth trying', [
        listed([
          'The same `POST /invoices` twice with one `Idempotency-Key`: one invoice, and `Idempotent-Replayed: true` the second time.',
          'The same webhook twice, and webhooks in the wrong order: `POST /invoices/{id}/notify` sends one again.',
          'An outage of your receiver for an hour, then `GET /events?after=...`.',
          'A webhook with a wrong signature: your receiver responds with 401.',
          'An invoice paid in part, paid over, expired.',
          'A payout repeated with its `X-Uniq-Id`, as after a time-out.',
        ]),
      ]),
    ]),
  };
}
