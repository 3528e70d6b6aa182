/** Translates NOWPayments' requests to those of the API. */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { isFiatCurrency } from '../../../../domain/catalog/fiat.ts';
import type { AppError } from '../../../../domain/errors.ts';
import type { JsonObject, JsonValue } from '../../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import { nowpaymentsCodes } from '../../../shared/providers/nowpayments.ts';
import type { ApiContext } from '../../kit/call.ts';
import {
  type AskedInvoice,
  type AskedPayout,
  absentIfEmpty,
  decimalGiven,
  type FieldNames,
  fault,
  flagAsked,
  textOf,
} from '../use-cases.ts';

const INVOICE_NAMES: FieldNames = {
  amount: 'price_amount',
  fiat_currency: 'price_currency',
  asset: 'pay_currency',
  extra: 'order_id',
  notify_url: 'ipn_callback_url',
  on_paid_url: 'success_url',
  on_cancel_url: 'cancel_url',
  description: 'order_description',
};
const PAYOUT_NAMES: FieldNames = { asset: 'currency', ref: 'unique_external_id' };

export function paymentAsked(
  body: JsonObject,
  of: 'payment' | 'invoice',
  context: ApiContext,
): Result<AskedInvoice, AppError> {
  const priced = pricedIn(body, of, context);
  if (!priced.ok) return priced;
  const feeIsCustomers = flagAsked(body.is_fee_paid_by_user, 'is_fee_paid_by_user');
  if (!feeIsCustomers.ok) return feeIsCustomers;
  return ok({
    orderId: textOf(body.order_id),
    names: INVOICE_NAMES,
    format: 'nowpayments',
    oncePerOrder: false,
    given: {
      amount: decimalGiven(body.price_amount),
      fiat_currency: priced.value.fiat ?? undefined,
      asset: priced.value.asset?.key,
      notify_url: absentIfEmpty(body.ipn_callback_url),
      on_paid_url: absentIfEmpty(body.success_url),
      on_cancel_url: absentIfEmpty(body.cancel_url),
      description: absentIfEmpty(body.order_description),
      fee_bearer: feeIsCustomers.value === null ? undefined : feeIsCustomers.value ? 'client' : 'merchant',
    },
  });
}

/**
 * The fiat currency of the price, if it is one, and the coin to pay in. A payment names its coin;
 * an invoice may leave it to the customer. A price in a coin is paid in that coin.
 */
function pricedIn(
  body: JsonObject,
  of: 'payment' | 'invoice',
  context: ApiContext,
): Result<{ fiat: string | null; asset: Asset | null }, AppError> {
  const price = textOf(body.price_currency)?.toUpperCase() ?? null;
  if (price === null) return err(fault('price_currency', 'is required'));
  const elsewhere = sentElsewhere(body);
  if (elsewhere !== null) return err(elsewhere);
  const named = textOf(body.pay_currency);
  if (named === null && of === 'payment') return err(fault('pay_currency', 'is required'));
  const asset = named === null ? ok(null) : coinAsked(named, 'pay_currency', context);
  if (!asset.ok) return asset;
  if (isFiatCurrency(price)) return ok({ fiat: price, asset: asset.value });
  const coin = coinAsked(price, 'price_currency', context);
  if (!coin.ok) return coin;
  if (coin.value !== asset.value)
    return err(fault('price_currency', 'must be a fiat currency, or the currency that is paid in'));
  return ok({ fiat: null, asset: coin.value });
}

/** Refuses a payout address: the money would go there and not to the merchant's balance. */
export function sentElsewhere({ payout_address: address }: JsonObject): AppError | null {
  return absentIfEmpty(address) === undefined ? null : fault('payout_address', 'is not supported');
}

/**
 * The amount of a withdrawal: in its coin, or in a fiat currency. If both are given, the fiat
 * amount is used, as at NOWPayments.
 */
export function sentAmount(withdrawal: JsonObject): { amount: JsonValue | undefined; fiat: string | null } {
  const fiatAmount = absentIfEmpty(withdrawal.fiat_amount);
  const fiat = textOf(withdrawal.fiat_currency)?.toUpperCase() ?? null;
  return fiatAmount === undefined && fiat === null
    ? { amount: withdrawal.amount, fiat }
    : { amount: fiatAmount, fiat: fiat ?? '' };
}

/** One withdrawal. `unnamed` identifies it for a day if it has no id. */
export function payoutAsked(
  body: JsonObject,
  unnamed: string,
  context: ApiContext,
): Result<AskedPayout, AppError> {
  const currency = textOf(body.currency);
  const asset =
    currency === null ? err(fault('currency', 'is required')) : coinAsked(currency, 'currency', context);
  if (!asset.ok) return asset;
  // Without the tag the money would go to somebody else.
  if (absentIfEmpty(body.extra_id) !== undefined)
    return err(
      fault('extra_id', 'is not supported: for XRP use an X-address, which contains the destination tag'),
    );
  const { amount, fiat } = sentAmount(body);
  if (fiat !== null && (amount === undefined || !isFiatCurrency(fiat)))
    return err(fault('fiat_amount', 'and fiat_currency must be given together'));
  const externalId = textOf(body.unique_external_id);
  // If it counted as absent, a repetition would be paid again.
  if (externalId === null && absentIfEmpty(body.unique_external_id) !== undefined)
    return err(fault('unique_external_id', 'must be text or a number'));
  return ok({
    orderId: externalId ?? unnamed,
    ref: externalId,
    kept: externalId === null ? 'a day' : 'for good',
    names: fiat === null ? PAYOUT_NAMES : { ...PAYOUT_NAMES, amount: 'fiat_amount' },
    provider: 'nowpayments',
    given: {
      amount: decimalGiven(amount),
      fiat_currency: fiat ?? undefined,
      asset: asset.value.key,
      address: absentIfEmpty(body.address),
    },
  });
}

export function coinAsked(code: string, field: string, { application }: ApiContext): Result<Asset, AppError> {
  const asset = nowpaymentsCodes.assetOf(application.catalog, code);
  return asset === null ? err(fault(field, `${code} is not known`)) : ok(asset);
}
