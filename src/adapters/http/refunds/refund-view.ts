/** A refund in answers: schema, example and values (app/payouts/present-refund.ts). */
import { FEE_BEARERS } from '../../../domain/money/fee.ts';
import { CLAIM_STATUSES, CLAIM_SUBJECTS } from '../../../domain/payouts/refund-claim.ts';
import { boolean, id, nullable, number, oneOf, string, unixTime, view } from '../kit/input/views.ts';

export const REFUND_FIELDS = {
  id: id('Refund id'),
  order_id: nullable(id('Invoice id')),
  status: oneOf(
    CLAIM_STATUSES,
    '`open`: the customer has not said where the money goes. `confirmed`: a payout waits to be sent',
  ),
  subject: oneOf(
    CLAIM_SUBJECTS,
    '`invoice`: the invoice or a part of it. `surplus`: what was paid too much. `deposit`: a payment that belongs to no invoice',
  ),
  asset: string('Asset key'),
  amount: number('What is given back, in `asset`'),
  fee_bearer: oneOf(FEE_BEARERS, 'Who pays the network fee'),
  amount_sent: nullable(number('What the customer gets, in `asset`')),
  address: nullable(string("The customer's address")),
  txid: nullable(string()),
  on_checkout: boolean('The checkout of the invoice leads to the refund'),
  ordered_by: nullable(string('The operator who offered it. Null: you')),
  expires_at: unixTime(),
  created_at: unixTime(),
  updated_at: unixTime(),
};

export const RefundSchema = view('Refund', REFUND_FIELDS);

export const OfferedRefundSchema = view('OfferedRefund', {
  ...REFUND_FIELDS,
  claim_url: string(
    'The page where the customer enters an address. Whoever has it can claim the money. Only this response contains it',
  ),
});

export const REFUND_EXAMPLE = {
  id: '0190f3a1b2c30a1b2c3d4e81',
  order_id: '0190f3a1b2c30a1b2c3d4e5f',
  status: 'open',
  subject: 'invoice',
  asset: 'usdt_ethereum',
  amount: 24.75,
  fee_bearer: 'client',
  amount_sent: null,
  address: null,
  txid: null,
  on_checkout: false,
  ordered_by: null,
  expires_at: 1_768_435_200,
  created_at: 1_767_225_600,
  updated_at: 1_767_225_600,
};
