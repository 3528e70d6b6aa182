/** Translates requests of CoinPayments' current API to those of the API. */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { FIAT_CURRENCIES, type FiatCurrency, minorDecimals } from '../../../../domain/catalog/fiat.ts';
import type { AppError } from '../../../../domain/errors.ts';
import { parseDecimal } from '../../../../domain/money/decimal.ts';
import { exactNumber } from '../../../../domain/money/exact-number.ts';
import type { JsonObject, JsonValue } from '../../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import { assetOfCoinpaymentsV2, fiatOfCoinpaymentsV2 } from '../../../shared/providers/coinpayments-v2.ts';
import type { ApiContext } from '../../kit/call.ts';
import { isJsonObject } from '../../kit/input/exact-json.ts';
import {
  type AskedInvoice,
  absentIfEmpty,
  decimalGiven,
  type FieldNames,
  fault,
  textOf,
} from '../use-cases.ts';

const NAMES: FieldNames = {
  fiat_currency: 'currency',
  asset: 'payment.paymentCurrency',
  extra: 'invoiceId',
  notify_url: 'webhooks.0.notificationsUrl',
  on_paid_url: 'successUrl',
  on_cancel_url: 'cancelUrl',
  metadata: 'customData',
  payer_info: 'buyer',
};

/** `total` is a decimal; `value`, of the first version, counts the currency's smallest unit. */
export function invoiceAsked(body: JsonObject, context: ApiContext): Result<AskedInvoice, AppError> {
  const priced = pricedIn(body, context);
  if (!priced.ok) return priced;
  const { fiat, asset, decimals } = priced.value;
  const { total, value } = objectIn(body.amount);
  const amount = total === undefined ? inUnits(value, decimals) : decimalGiven(total);
  if (amount === null) return err(fault('amount.value', 'must be a whole number of the smallest unit'));
  const email = emailOf(body);
  return ok({
    orderId: textOf(body.invoiceId),
    names: NAMES,
    format: 'coinpayments_v2',
    oncePerOrder: false,
    given: {
      amount,
      fiat_currency: fiat ?? undefined,
      asset: asset?.key,
      title: absentIfEmpty(firstIn(body.items).name),
      description: absentIfEmpty(body.description),
      notify_url: absentIfEmpty(firstIn(body.webhooks).notificationsUrl),
      on_paid_url: absentIfEmpty(body.successUrl),
      on_cancel_url: absentIfEmpty(body.cancelUrl),
      metadata: absentIfEmpty(body.customData),
      payer_info: email === null ? undefined : { email },
    },
  });
}

interface RequestedPrice {
  readonly fiat: FiatCurrency | null;
  /** The coin to pay in. Null: the customer chooses it. */
  readonly asset: Asset | null;
  /** Of the currency that the amount is in. */
  readonly decimals: number;
}

/** An amount in a coin is paid in that coin. */
function pricedIn(body: JsonObject, context: ApiContext): Result<RequestedPrice, AppError> {
  const id = textOf(body.currency) ?? textOf(objectIn(body.amount).currencyId);
  if (id === null) return err(fault('currency', 'is required'));
  const fiat = fiatOfCoinpaymentsV2(FIAT_CURRENCIES, id);
  const coin = fiat === null ? currencyAsked(id, 'currency', context) : ok(null);
  if (!coin.ok) return coin;
  const paidIn = textOf(objectIn(body.payment).paymentCurrency);
  const asset = paidIn === null ? coin : currencyAsked(paidIn, 'payment.paymentCurrency', context);
  if (!asset.ok) return asset;
  if (coin.value !== null && asset.value !== coin.value)
    return err(fault('currency', 'must be a fiat currency, or the currency that is paid in'));
  const decimals = fiat === null ? (coin.value?.decimals ?? 0) : minorDecimals(fiat);
  return ok({ fiat, asset: asset.value, decimals });
}

function emailOf({ buyer, payment }: JsonObject): string | null {
  const { emailAddress, email } = objectIn(buyer);
  return textOf(emailAddress) ?? textOf(email) ?? textOf(objectIn(payment).refundEmail);
}

export function currencyAsked(
  id: string,
  field: string,
  { application }: ApiContext,
): Result<Asset, AppError> {
  const asset = assetOfCoinpaymentsV2(application.catalog, id);
  return asset === null ? err(fault(field, `${id} is not known`)) : ok(asset);
}

/**
 * A float that PHP multiplied by 100 differs from a whole number by at most this fraction of it.
 */
const NOISE = 10n ** 9n;

/** Null unless it is a whole number: read as a decimal it would be another amount. */
function inUnits(value: JsonValue | undefined, decimals: number): JsonValue | null {
  const read = parseDecimal(textOf(value) ?? '');
  if (read === null) return null;
  const one = 10n ** BigInt(read.scale);
  const whole = (read.digits + one / 2n) / one;
  const missed = read.digits - whole * one;
  const isWhole = (missed < 0n ? -missed : missed) * NOISE <= read.digits;
  return isWhole ? exactNumber(whole, decimals) : null;
}

/** The first of a list of objects. */
function firstIn(value: JsonValue | undefined): JsonObject {
  return objectIn(Array.isArray(value) ? value[0] : undefined);
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
