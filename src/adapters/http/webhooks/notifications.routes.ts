/** /api/v2/notifications: the log of webhook deliveries, and a test delivery. */
import { type Static, Type } from '@sinclair/typebox';
import type { TestWebhook } from '../../../app/application.ts';
import { unixSeconds } from '../../../app/invoices/present-invoice.ts';
import { INVOICE_STATUSES } from '../../../domain/invoices/invoice.ts';
import { ok } from '../../../domain/result.ts';
import { WEBHOOK_FORMATS } from '../../../domain/webhooks/webhook-format.ts';
import { WEBHOOK_URL_LENGTH_MAX } from '../../../domain/webhooks/webhook-url.ts';
import type { NotificationAttempt } from '../../../ports/list-queries.ts';
import { DeliverySchema } from '../invoices/invoice-view.ts';
import { presentDelivery } from '../invoices/invoices.routes.ts';
import { answer, listed } from '../kit/answer.ts';
import { webhookUrl } from '../kit/input/fields.ts';
import { DATES, PAGE, pageOf, rangeOf } from '../kit/input/list-query.ts';
import { oneId } from '../kit/input/query.ts';
import { OneOf, Text } from '../kit/input/schema.ts';
import { id, integer, nullable, string, unixTime, view } from '../kit/input/views.ts';
import { type BodyDefinition, route } from '../kit/route.ts';

const tag = 'Notifications';

const NotificationSchema = view('NotificationAttempt', {
  id: id(),
  invoice_id: nullable(id('Null for payouts and test deliveries')),
  payout_id: nullable(id('Null for invoices and test deliveries')),
  event_seq: nullable(
    integer(
      'Number of the event (GET /events). Null for test deliveries, and for attempts from before events had numbers',
    ),
  ),
  url: string(),
  status_code: nullable(integer('HTTP status of the receiver. Null without a response')),
  response_body: nullable(string('First 500 characters of the response, or why there was none')),
  attempt: integer('Number of the attempt, from 1'),
  sent_at: unixTime(),
});

/** Specification, "Notification attempt". */
function presentAttempt(attempt: NotificationAttempt) {
  return {
    id: attempt.id,
    invoice_id: attempt.invoiceId,
    payout_id: attempt.payoutId,
    event_seq: attempt.eventSeq,
    url: attempt.url,
    status_code: attempt.statusCode,
    response_body: attempt.responseBody,
    attempt: attempt.attempt,
    sent_at: unixSeconds(attempt.sentAt),
  };
}

const list = route({
  operationId: 'listNotifications',
  method: 'GET',
  path: '/api/v2/notifications',
  tag,
  summary: 'List webhook attempts',
  description:
    'Returns every delivery attempt, newest first: successful, retried and failed. GET /events has the events themselves, delivered or not.',
  query: {
    ...PAGE,
    ...DATES,
    invoice_id: oneId('Only attempts for this invoice.'),
    payout_id: oneId('Only attempts for this payout.'),
  },
  success: {
    status: 200,
    description: 'A page of attempts',
    result: Type.Array(NotificationSchema),
    list: 'pages',
    examples: {
      'One attempt': [
        {
          id: '0190f3a1b2c30a1b2c3d4e63',
          invoice_id: '0190f3a1b2c30a1b2c3d4e5f',
          payout_id: null,
          event_seq: 42,
          url: 'https://shop.example/webhooks',
          status_code: 200,
          response_body: 'ok',
          attempt: 1,
          sent_at: 1_767_225_700,
        },
      ],
    },
  },
  async handle({ caller, query }, { application }) {
    const page = pageOf(query);
    const { invoice_id: invoiceId, payout_id: payoutId } = query;
    const filter = { ...rangeOf(query), invoiceId, payoutId };
    const { rows, total } = await application.queries.notifications(caller.scope, filter, page);
    return ok(listed(rows.map(presentAttempt), page, total));
  },
});

const testSchema = Type.Object({
  url: Type.Optional(
    Text({
      blank: 'absent',
      maxLength: WEBHOOK_URL_LENGTH_MAX,
      description: 'The URL to send to. Default: your `callback_url`.',
      examples: ['https://shop.example/webhooks'],
    }),
  ),
  status: Type.Optional(
    OneOf(INVOICE_STATUSES, {
      description: 'The test looks like an invoice with this status. Default with `format`: `success`.',
    }),
  ),
  format: Type.Optional(
    OneOf(WEBHOOK_FORMATS, {
      description: 'The test looks like an invoice in this format. Default with `status`: `native_v2`.',
    }),
  ),
});

const testBody: BodyDefinition<TestWebhook> = {
  schema: testSchema,
  required: false,
  examples: {
    'To a URL': { url: 'https://shop.example/webhooks' },
    'To the callback_url': {},
    'A paid invoice': { status: 'success' },
    'A part payment as another provider tells it': { status: 'partially_paid', format: 'cryptomus' },
  },
  read(json, faults) {
    const { url, status = null, format = null } = json as Static<typeof testSchema>;
    return { url: webhookUrl(url, 'url', faults), status, format };
  },
};

const test = route({
  operationId: 'testNotification',
  method: 'POST',
  path: '/api/v2/notifications/test',
  tag,
  summary: 'Send a test webhook',
  description:
    'Sends a signed test webhook at once and returns its outcome. With `status` or `format` its body looks like an invoice that does not exist, and contains `sample`. A test is not an event and has no number.',
  body: testBody,
  rejects: ['NO_DESTINATION'],
  success: {
    status: 200,
    description: 'The outcome',
    result: DeliverySchema,
    examples: {
      Delivered: { url: 'https://shop.example/webhooks', delivered: true, status_code: 200, error: null },
    },
  },
  async handle({ caller, body }, { application }) {
    const result = await application.sendTestWebhook(caller, body);
    return result.ok ? ok(answer(presentDelivery(result.value))) : result;
  },
});

export const NOTIFICATION_ROUTES = [list, test];
