/**
 * Schema and example of a payout in answers (specification, "Payout").
 * app/payouts/present-payout.ts makes the values.
 */
import { FEE_BEARERS } from '../../../domain/money/fee.ts';
import { PAYOUT_STATUSES } from '../../../domain/payouts/payout.ts';
import { id, nullable, number, oneOf, string, strings, unixTime, view } from '../kit/input/views.ts';

export const PAYOUT_FIELDS = {
  order_id: id('Payout id'),
  address: string(),
  amount: number('Amount of the request, in `currency`'),
  currency: string('Asset key'),
  fee: number(
    'Network fee that was charged, in `currency`. For a failed payout: the fee of its transaction, or 0',
  ),
  fee_usd: number('The fee in USD'),
  energy_fee_usd: nullable(number('Tron: the fee for energy, in USD')),
  fee_bearer: oneOf(FEE_BEARERS),
  fiat_amount_usd: number('The amount in USD when it was accepted'),
  ref: nullable(string()),
  status: oneOf(PAYOUT_STATUSES),
  created_at: unixTime(),
  updated_at: unixTime('Last change of these fields'),
  processed_at: nullable(unixTime()),
  txid: nullable(string()),
  tx_hashes: nullable(strings('Every transaction that was broadcast for the payout')),
};

export const PayoutSchema = view('Payout', PAYOUT_FIELDS);

export const PAYOUT_EXAMPLE = {
  order_id: '0190f3a1b2c30a1b2c3d4e60',
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  amount: 12.5,
  currency: 'usdt_ethereum',
  fee: 0.8,
  fee_usd: 0.8,
  energy_fee_usd: null,
  fee_bearer: 'merchant',
  fiat_amount_usd: 12.5,
  ref: 'withdrawal-7',
  status: 'pending',
  created_at: 1_767_225_600,
  updated_at: 1_767_225_600,
  processed_at: null,
  txid: null,
  tx_hashes: null,
};
