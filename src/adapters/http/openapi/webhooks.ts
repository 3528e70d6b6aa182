/** The document's part about webhooks (specification, "Events"): what the merchant's server receives and should answer. */
import {
  InvoiceWebhookSchema,
  PayoutWebhookSchema,
  TOLD_INVOICE_EXAMPLE,
  TOLD_PAYOUT_EXAMPLE,
} from '../webhooks/event-view.ts';
import type { Components, Json, JsonRecord } from './schemas.ts';

export const HEADERS: readonly (readonly [
  name: string,
  required: boolean,
  description: string,
  example: string,
])[] = [
  [
    'X-Service-Signature',
    true,
    'Hex HMAC-SHA256 of the raw body, keyed with the API key of the environment. Compute it over the bytes before parsing, and compare in constant time.',
    '9f2d0c1e5b7a4836d1c0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8',
  ],
  [
    'X-Service-Signature-Previous',
    false,
    'While the API key is changed: the signature by the other of the two keys. `X-Service-Signature` is by the old key until the first API call with the new one, and by the new key from then on.',
    '1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014',
  ],
  ['X-Service-Sandbox', false, '`true` on sandbox deliveries, absent otherwise.', 'true'],
  ['X-Service-Delivery', true, 'Id of the delivery; the same at every attempt.', '0190f3a1b2c30a1b2c3d4e64'],
  ['X-Service-Attempt', true, 'Number of the attempt, from 1.', '1'],
  [
    'X-Service-Event-Seq',
    false,
    'Number of the event within your events (GET /events), as `event_seq` in the body; absent where there is none.',
    '42',
  ],
  [
    'webhook-id',
    false,
    'The delivery, for libraries of Standard Webhooks (standardwebhooks.com); the same at every attempt. This and the next two are there once you have a webhook secret.',
    '0190f3a1b2c30a1b2c3d4e64',
  ],
  ['webhook-timestamp', false, 'Unix seconds of the attempt.', '1767229200'],
  [
    'webhook-signature',
    false,
    '`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the bytes of your webhook secret; two of them with a space between while the secret is changed.',
    'v1,n5iMRSUlHa5qLCkqYVl6BXAqWq7GX3Ea0Tq2uBBvUy8=',
  ],
  ['User-Agent', true, 'Identifies the sender.', 'Quittance-Webhook/1.0.0'],
];

/** What an answer of the receiver does. */
export const DELIVERY =
  'Any 2xx ends the delivery; 4xx other than 408, 425 and 429 gives up; everything else, and 4xx while your API key is changed, is retried after 30 s, 1, 2, 5, 10, 20, 40, 80 and 160 minutes.';

export function webhookSection(components: Components): JsonRecord {
  return {
    invoice: {
      post: operation('invoiceWebhook', {
        summary: 'The status of an invoice changed',
        description: `Sent to the \`notify_url\` of the invoice, or else to your \`callback_url\`. ${DELIVERY} \`expired\` and \`refunded\` are never pushed. Where the invoice names another \`webhook_format\`, body, content type and signature are that provider's, beside these headers.`,
        schema: components.of(InvoiceWebhookSchema),
        examples: { Paid: { value: TOLD_INVOICE_EXAMPLE } },
      }),
    },
    payout: {
      post: operation('payoutWebhook', {
        summary: 'The status of a payout changed',
        description: `Sent to your \`callback_url\` once the operator has switched it on for you. ${DELIVERY} A payout whose block left the chain is \`processing\` again.`,
        schema: components.of(PayoutWebhookSchema),
        examples: { 'On its way': { value: TOLD_PAYOUT_EXAMPLE } },
      }),
    },
  };
}

function operation(
  operationId: string,
  { schema, examples, ...said }: { summary: string; description: string; schema: Json; examples: JsonRecord },
): JsonRecord {
  return {
    tags: ['Webhooks'],
    operationId,
    security: [],
    ...said,
    parameters: HEADERS.map(([name, required, description, example]) => ({
      name,
      in: 'header',
      required,
      description,
      schema: { type: 'string' },
      example,
    })),
    requestBody: { required: true, content: { 'application/json': { schema, examples } } },
    responses: {
      '2XX': { description: 'Received; the delivery ends' },
      '4XX': { description: 'Refused; the delivery ends, except for 408, 425 and 429' },
      '5XX': { description: 'Tried again later' },
    },
  };
}
