/** Schemas and examples of what merchants are told of: the bodies of webhooks, and the events that carry them. */
import { Type } from '@sinclair/typebox';
import { INVOICE_STATUSES, isDelivered } from '../../../domain/invoice.ts';
import { boolean, integer, nullable, oneOf, unixTime, view } from '../views.ts';
import { CREATED_INVOICE_EXAMPLE, INVOICE_FIELDS, PAID_INVOICE_EXAMPLE } from './invoice-view.ts';

const delivered = INVOICE_STATUSES.filter(isDelivered);

const TOLD = {
  sandbox: Type.Optional(boolean('true in the sandbox, absent otherwise')),
  event_seq: nullable(
    integer(
      'Number within your events. A replay repeats the latest of its invoice; null where that has none',
    ),
  ),
};

export const InvoiceWebhookSchema = view('InvoiceWebhook', {
  ...INVOICE_FIELDS,
  status: oneOf(delivered),
  ...TOLD,
});

export const TOLD_INVOICE_EXAMPLE = {
  ...PAID_INVOICE_EXAMPLE,
  external_id: CREATED_INVOICE_EXAMPLE.external_id,
  event_seq: 42,
};

export const EventSchema = view('Event', {
  seq: integer('Dense, from 1: whoever has read up to a number never meets a smaller one later'),
  type: oneOf(delivered.map((status) => `invoice.${status}`)),
  created_at: unixTime(),
  data: InvoiceWebhookSchema,
});

export const EVENT_EXAMPLE = {
  seq: 42,
  type: 'invoice.success',
  created_at: 1_767_225_700,
  data: TOLD_INVOICE_EXAMPLE,
};
