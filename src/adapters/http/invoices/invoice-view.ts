/**
 * Schema and example of an invoice in answers (specification, "Invoice").
 * app/invoices/present-invoice.ts makes the values.
 */
import { INVOICE_STATUSES } from '../../../domain/invoices/invoice.ts';
import { FEE_BEARERS } from '../../../domain/money/fee.ts';
import {
  boolean,
  id,
  integer,
  nullable,
  number,
  object,
  oneOf,
  string,
  strings,
  unixTime,
  view,
} from '../kit/input/views.ts';

export const INVOICE_FIELDS = {
  order_id: id('Invoice id'),
  external_id: nullable(
    string('Public checkout id (UUID). Only in the response that creates the invoice, and in webhooks'),
  ),
  status: nullable(oneOf(INVOICE_STATUSES)),
  asset: nullable(string('Chosen asset key')),
  initial_asset: nullable(string('Asset of the request, or the first one that the customer chose')),
  type: nullable(oneOf(['native', 'token'])),
  amount: nullable(number('Amount due, in `asset`')),
  initial_amount: nullable(number()),
  fiat_amount: nullable(number('Paid so far, in `fiat_currency`')),
  initial_fiat_amount: nullable(number('Amount of the request, in `fiat_currency`')),
  fiat_currency: nullable(string()),
  billing_type: nullable(oneOf(['STATIC', 'VARY'])),
  address_to: nullable(string('Deposit address (XRP: the X-address)')),
  address_classic: nullable(
    string('XRP: the account in `address_to`, for wallets that ask for account and tag'),
  ),
  address_tag: nullable(
    integer('XRP: the destination tag in `address_to`. A payment to the account needs it'),
  ),
  address_from: nullable(string('Sender of the last on-chain payment')),
  extra: nullable(string()),
  title: nullable(string()),
  description: nullable(string()),
  expires_at: nullable(unixTime('Payments are accepted until then')),
  metadata: nullable(object()),
  fee_bearer: nullable(oneOf(FEE_BEARERS)),
  underpay_tolerance: nullable(number('Percent')),
  accepted_coins: nullable(strings()),
  excluded_coins: nullable(strings()),
  on_paid_url: nullable(string()),
  on_cancel_url: nullable(string()),
  notify_url: nullable(string()),
  price_modifier: nullable(number('Percent')),
  original_amount: nullable(number('Amount before `price_modifier`')),
  payer_info: nullable(object()),
  permanent_address_id: nullable(id()),
  user_id: nullable(string()),
  payment_link_id: nullable(id('The payment link that opened it')),
  received_amount: nullable(number('Received on-chain, in `asset`')),
  txid: nullable(string('Transaction of the last on-chain payment')),
  created_at: nullable(unixTime()),
  updated_at: nullable(unixTime('Last change of these fields')),
  processed_at: nullable(unixTime('Time of the final status')),
  payment_url: nullable(string('Hosted checkout')),
};

export const InvoiceSchema = view('Invoice', INVOICE_FIELDS);

export const DeliverySchema = view('DeliveryReport', {
  url: nullable(string()),
  delivered: boolean(),
  status_code: nullable(integer('HTTP status of the receiver. Null without a response')),
  error: nullable(string()),
});

const absent = Object.fromEntries(Object.keys(INVOICE_FIELDS).map((field) => [field, null]));

export const INVOICE_EXAMPLE = {
  ...absent,
  order_id: '0190f3a1b2c30a1b2c3d4e5f',
  status: 'created',
  asset: 'usdt_tron',
  initial_asset: 'usdt_tron',
  type: 'token',
  amount: 25.25,
  initial_amount: 25.25,
  fiat_amount: 0,
  initial_fiat_amount: 25,
  fiat_currency: 'USD',
  billing_type: 'STATIC',
  address_to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  extra: 'order-1001',
  expires_at: 1_767_229_200,
  fee_bearer: 'client',
  received_amount: 0,
  created_at: 1_767_225_600,
  updated_at: 1_767_225_600,
  payment_url: 'https://pay.example/checkout/3f0e9a52-6c1d-4d1b-9a55-0d7f6f3f7c11',
};

export const CREATED_INVOICE_EXAMPLE = {
  ...INVOICE_EXAMPLE,
  external_id: '3f0e9a52-6c1d-4d1b-9a55-0d7f6f3f7c11',
};

const paid = {
  status: 'success',
  fiat_amount: 25,
  received_amount: 25.25,
  address_from: 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy',
  txid: '7c1f0a8e5b3d49c2a6e0f4d18b97c3520de6a41b8f7359c0d2e48a16b5f3790c',
  updated_at: 1_767_225_700,
  processed_at: 1_767_225_700,
};
export const PAID_INVOICE_EXAMPLE = { ...INVOICE_EXAMPLE, ...paid };
