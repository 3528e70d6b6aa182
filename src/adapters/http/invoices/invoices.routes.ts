/** /api/v2/invoices: create, list, read, replay the webhook, simulate. */
import { Type } from '@sinclair/typebox';
import type { DeliveryReport, SimulateInput } from '../../../app/application.ts';
import { FIAT_DECIMALS } from '../../../domain/catalog/fiat.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { SIMULATED_STATUSES } from '../../../domain/invoices/invoice-simulation.ts';
import { err, ok } from '../../../domain/result.ts';
import { WEBHOOK_URL_LENGTH_MAX } from '../../../domain/webhooks/webhook-url.ts';
import { answer, created } from '../kit/answer.ts';
import { notFound } from '../kit/errors.ts';
import { webhookUrl } from '../kit/input/fields.ts';
import { decimal, ExactDecimal, Flag, MAX_AMOUNT, OneOf, Text } from '../kit/input/schema.ts';
import { nullable, string, view } from '../kit/input/views.ts';
import { type BodyDefinition, route } from '../kit/route.ts';
import { invoiceBody } from './invoice-body.ts';
import {
  CREATED_INVOICE_EXAMPLE,
  DeliverySchema,
  INVOICE_EXAMPLE,
  InvoiceSchema,
  PAID_INVOICE_EXAMPLE,
} from './invoice-view.ts';
import { listInvoices, present } from './list-invoices.ts';

const tag = 'Invoices';

export function presentDelivery(report: DeliveryReport) {
  return {
    url: report.url,
    delivered: report.delivered,
    status_code: report.statusCode,
    error: report.error,
  };
}

const createInvoice = route({
  operationId: 'createInvoice',
  method: 'POST',
  path: '/api/v2/invoices',
  tag,
  summary: 'Create an invoice',
  description:
    'With `asset` the price is fixed and the deposit address is allocated at once. Without it the customer chooses an asset on the hosted checkout at `payment_url`.',
  idempotent: true,
  body: invoiceBody,
  rejects: ['INVOICE_REJECTED', 'RATES_UNAVAILABLE'],
  success: {
    status: 201,
    description: 'Created',
    result: InvoiceSchema,
    examples: { 'Awaiting payment': CREATED_INVOICE_EXAMPLE },
  },
  async handle({ caller, body, respondOnce }, context) {
    return respondOnce(
      (invoice: Invoice) => created(present(invoice, context, true)),
      (once) => context.application.createInvoice(caller, body, once),
    );
  },
});

const getInvoice = route({
  operationId: 'getInvoice',
  method: 'GET',
  path: '/api/v2/invoices/:invoice_id',
  tag,
  summary: 'Read an invoice',
  description: 'Returns one invoice of this merchant and environment.',
  rejects: ['NOT_FOUND'],
  success: {
    status: 200,
    description: 'The invoice',
    result: InvoiceSchema,
    examples: { 'Awaiting payment': INVOICE_EXAMPLE },
  },
  async handle({ caller, id }, context) {
    const invoice = await context.application.queries.invoice(caller.scope, id);
    return invoice === null ? err(notFound('invoice')) : ok(answer(present(invoice, context)));
  },
});

const cancelInvoice = route({
  operationId: 'cancelInvoice',
  method: 'POST',
  path: '/api/v2/invoices/:invoice_id/cancel',
  tag,
  summary: 'Cancel an invoice',
  description:
    'Ends an invoice in `created` at once, as long as no payment was seen. Its status becomes `expired`, and no webhook is sent. A later payment is treated as after any expiry. The request has no body. Cancelling twice returns the same response.',
  rejects: ['NOT_FOUND', 'INVALID_TRANSITION'],
  success: {
    status: 200,
    description: 'The expired invoice',
    result: InvoiceSchema,
    examples: { Cancelled: { ...INVOICE_EXAMPLE, status: 'expired' } },
  },
  async handle({ caller, id }, context) {
    const result = await context.application.cancelInvoice(caller, id);
    return result.ok ? ok(answer(present(result.value, context))) : result;
  },
});

const acceptInvoice = route({
  operationId: 'acceptInvoice',
  method: 'POST',
  path: '/api/v2/invoices/:invoice_id/accept',
  tag,
  summary: 'Accept a partly paid invoice',
  description:
    'Accepts what was paid as the whole payment: a STATIC invoice in `partially_paid` or `cancelled` becomes `success`, and the webhook is sent. `amount` and `received_amount` stay as they are, and nothing is credited. The request has no body. Accepting twice returns the same response.',
  rejects: ['NOT_FOUND', 'INVALID_TRANSITION'],
  success: {
    status: 200,
    description: 'The paid invoice',
    result: InvoiceSchema,
    examples: { Accepted: { ...INVOICE_EXAMPLE, status: 'success' } },
  },
  async handle({ caller, id }, context) {
    const result = await context.application.console.acceptInvoice(caller.scope, id);
    return result.ok ? ok(answer(present(result.value, context))) : result;
  },
});

const notifyInvoice = route({
  operationId: 'notifyInvoice',
  method: 'POST',
  path: '/api/v2/invoices/:invoice_id/notify',
  tag,
  summary: 'Replay the webhook',
  description: 'Queues the current state of the invoice as a new delivery. The request has no body.',
  idempotent: true,
  rejects: ['NOT_FOUND', 'NO_DESTINATION'],
  success: {
    status: 200,
    description: 'Queued',
    result: view(null, { message: string() }),
    examples: { Queued: { message: 'The webhook is queued.' } },
  },
  handle: ({ caller, id, respondOnce }, { application }) =>
    respondOnce(
      () => answer({ message: 'The webhook is queued.' }),
      (once) => application.replayWebhook(caller, id, once),
    ),
});

const simulateSchema = Type.Object({
  status: OneOf(SIMULATED_STATUSES, { description: 'The new status of the invoice.' }),
  paid_amount: Type.Optional(
    ExactDecimal({
      exclusiveMinimum: 0,
      maximum: MAX_AMOUNT,
      maxDecimals: FIAT_DECIMALS,
      examples: [12.5],
      description:
        "The amount paid, in the invoice's fiat currency. Default: all of it for `success`, half for `partially_paid`, 125 % for `paid_over`.",
    }),
  ),
  send_webhook: Type.Optional(
    Flag({ description: 'Whether to send the webhook of this change. Default: true.' }),
  ),
  notify_url: Type.Optional(
    Text({
      blank: 'absent',
      maxLength: WEBHOOK_URL_LENGTH_MAX,
      description: 'The URL for the webhook of this call only.',
      examples: ['https://shop.example/webhooks'],
    }),
  ),
});

const simulateBody: BodyDefinition<SimulateInput> = {
  schema: simulateSchema,
  examples: {
    'Paid in full': { status: 'success' },
    'Paid in part, no webhook': { status: 'partially_paid', paid_amount: 12.5, send_webhook: false },
  },
  read(json, faults) {
    const body = json as Partial<(typeof simulateSchema)['static']>;
    const notifyUrl = webhookUrl(body.notify_url, 'notify_url', faults);
    if (body.status === undefined || !faults.isEmpty) return null;
    return {
      status: body.status,
      paidAmount: body.paid_amount === undefined ? null : decimal(body.paid_amount),
      sendWebhook: body.send_webhook ?? true,
      notifyUrl,
    };
  },
};

const simulateInvoice = route({
  operationId: 'simulateInvoice',
  method: 'POST',
  path: '/api/v2/invoices/:invoice_id/simulate',
  tag,
  summary: 'Simulate a status (sandbox)',
  description:
    'Sets the status of a sandbox invoice, with its effects on balance and ledger. A live invoice cannot be simulated.',
  body: simulateBody,
  rejects: ['NOT_FOUND', 'SANDBOX_ONLY', 'INVALID_TRANSITION', 'RATES_UNAVAILABLE', 'INVOICE_REJECTED'],
  success: {
    status: 200,
    description: 'The invoice after the change, and the outcome of its webhook',
    result: view(null, { invoice: InvoiceSchema, webhook: nullable(DeliverySchema) }),
    examples: {
      'Without webhook': { invoice: PAID_INVOICE_EXAMPLE, webhook: null },
      Delivered: {
        invoice: PAID_INVOICE_EXAMPLE,
        webhook: { url: 'https://shop.example/webhooks', delivered: true, status_code: 200, error: null },
      },
    },
  },
  async handle({ caller, id, body }, context) {
    const result = await context.application.simulateInvoice(caller, id, body);
    if (!result.ok) return result;
    const { invoice, webhook } = result.value;
    return ok(
      answer({
        invoice: present(invoice, context),
        webhook: webhook === null ? null : presentDelivery(webhook),
      }),
    );
  },
});

export const INVOICE_ROUTES = [
  createInvoice,
  listInvoices,
  getInvoice,
  cancelInvoice,
  acceptInvoice,
  notifyInvoice,
  simulateInvoice,
];
