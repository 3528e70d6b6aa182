/** Schemas and examples of webhook bodies and of the events that contain them. */
import { Type } from '@sinclair/typebox';
import { INVOICE_STATUSES, isDelivered } from '../../../domain/invoices/invoice.ts';
import { TOLD_PAYOUT_STATUSES } from '../../../domain/payouts/payout.ts';
import { CLAIM_STATUSES } from '../../../domain/payouts/refund-claim.ts';
import { CREATED_INVOICE_EXAMPLE, INVOICE_FIELDS, PAID_INVOICE_EXAMPLE } from '../invoices/invoice-view.ts';
import { boolean, integer, nullable, oneOf, unixTime, view } from '../kit/input/views.ts';
import { PAYOUT_EXAMPLE, PAYOUT_FIELDS } from '../payouts/payout-view.ts';
import { REFUND_EXAMPLE, REFUND_FIELDS } from '../refunds/refund-view.ts';

const delivered = INVOICE_STATUSES.filter(isDelivered);

const TOLD = {
  sandbox: Type.Optional(boolean('True in the sandbox, absent otherwise')),
  event_seq: nullable(
    integer(
      'Number of the event within your events. A replay has the latest number of its invoice, or null if there is none',
    ),
  ),
};

export const InvoiceWebhookSchema = view('InvoiceWebhook', {
  ...INVOICE_FIELDS,
  status: oneOf(delivered),
  ...TOLD,
});

const ofRefunds = CLAIM_STATUSES.map((status) => `refund.${status}`);
const ofPayouts = TOLD_PAYOUT_STATUSES.map((status) => `payout.${status}`);

export const PayoutWebhookSchema = view('PayoutWebhook', {
  ...PAYOUT_FIELDS,
  status: oneOf(TOLD_PAYOUT_STATUSES),
  event: oneOf(ofPayouts),
  ...TOLD,
});

/** A step of a refund, in the list of events only. */
const RefundEventSchema = view('RefundEvent', { ...REFUND_FIELDS, event: oneOf(ofRefunds), ...TOLD });

export const TOLD_PAYOUT_EXAMPLE = {
  ...PAYOUT_EXAMPLE,
  status: 'processing',
  txid: '0x7c1f0a8e5b3d49c2a6e0f4d18b97c3520de6a41b8f7359c0d2e48a16b5f3790c',
  tx_hashes: ['0x7c1f0a8e5b3d49c2a6e0f4d18b97c3520de6a41b8f7359c0d2e48a16b5f3790c'],
  event: 'payout.processing',
  event_seq: 43,
};

export const TOLD_INVOICE_EXAMPLE = {
  ...PAID_INVOICE_EXAMPLE,
  external_id: CREATED_INVOICE_EXAMPLE.external_id,
  event_seq: 42,
};

export const EventSchema = view('Event', {
  seq: integer('Counts from 1 without gaps. After you have read a number, no new event has a smaller one'),
  type: oneOf([...delivered.map((status) => `invoice.${status}`), ...ofPayouts, ...ofRefunds]),
  created_at: unixTime(),
  data: Type.Unsafe({ anyOf: [InvoiceWebhookSchema, PayoutWebhookSchema, RefundEventSchema] }),
});

export const EVENT_EXAMPLES = [
  { seq: 42, type: 'invoice.success', created_at: 1_767_225_700, data: TOLD_INVOICE_EXAMPLE },
  { seq: 43, type: 'payout.processing', created_at: 1_767_225_710, data: TOLD_PAYOUT_EXAMPLE },
  {
    ...{ seq: 44, type: 'refund.open', created_at: 1_767_225_720 },
    data: { ...REFUND_EXAMPLE, event: 'refund.open', event_seq: 44 },
  },
];
