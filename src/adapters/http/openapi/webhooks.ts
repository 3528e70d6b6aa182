/**
 * The document's section on webhooks (specification, "Events"): what a merchant's server receives,
 * and how it responds.
 */
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
    'Hex HMAC-SHA256 of the raw body, keyed with the API key of the environment. Compute it over the bytes before you parse them, and compare in constant time.',
    '9f2d0c1e5b7a4836d1c0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8',
  ],
  [
    'X-Service-Signature-Previous',
    false,
    'The signature by the other key, while the old and the new API key both work. `X-Service-Signature` is made with the old key until the first API request with the new key, and with the new key from then on.',
    '1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014',
  ],
  ['X-Service-Sandbox', false, '`true` on sandbox deliveries, absent otherwise.', 'true'],
  [
    'X-Service-Delivery',
    true,
    'Id of the delivery. It is the same at every attempt.',
    '0190f3a1b2c30a1b2c3d4e64',
  ],
  ['X-Service-Attempt', true, 'Number of the attempt, from 1.', '1'],
  [
    'X-Service-Event-Seq',
    false,
    'Number of the event within your events (GET /events), as `event_seq` in the body. Absent if there is none.',
    '42',
  ],
  [
    'webhook-id',
    false,
    'Id of the delivery, for Standard Webhooks libraries (standardwebhooks.com). It is the same at every attempt. This header and the next two are present once you have a webhook secret.',
    '0190f3a1b2c30a1b2c3d4e64',
  ],
  ['webhook-timestamp', false, 'Time of the attempt in Unix seconds.', '1767229200'],
  [
    'webhook-signature',
    false,
    '`v1,` and the Base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the bytes of your webhook secret. While an old and a new secret both work, there are two signatures with a space between them.',
    'v1,n5iMRSUlHa5qLCkqYVl6BXAqWq7GX3Ea0Tq2uBBvUy8=',
  ],
  ['User-Agent', true, 'Identifies the sender.', 'Quittance-Webhook/1.0.0'],
];

/** The effect of each response of a receiver. */
export const DELIVERY =
  'Any 2xx ends the delivery. Any 4xx except 408, 425 and 429 ends it too, unless your old and new API key both work. Every other outcome is retried after 30 s, 1, 2, 5, 10, 20, 40, 80 and 160 minutes.';

export function webhookSection(components: Components): JsonRecord {
  return {
    invoice: {
      post: operation('invoiceWebhook', {
        summary: 'The status of an invoice changed',
        description: `Sent to the \`notify_url\` of the invoice, or else to your \`callback_url\`. ${DELIVERY} No webhook is sent for \`expired\` and \`refunded\`. If the invoice has another \`webhook_format\`, body, content type and signature are those of that provider, in addition to these headers.`,
        schema: components.of(InvoiceWebhookSchema),
        examples: { Paid: { value: TOLD_INVOICE_EXAMPLE } },
      }),
    },
    payout: {
      post: operation('payoutWebhook', {
        summary: 'The status of a payout changed',
        description: `Sent to your \`callback_url\`, if the operator has enabled payout webhooks for you. ${DELIVERY} A payout whose block left the chain is \`processing\` again.`,
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
      '2XX': { description: 'Received. The delivery ends' },
      '4XX': { description: 'Refused. The delivery ends, except for 408, 425 and 429' },
      '5XX': { description: 'Failed. The delivery is retried' },
    },
  };
}
