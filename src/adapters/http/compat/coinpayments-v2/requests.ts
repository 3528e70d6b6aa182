/** What clients of CoinPayments' present API ask for, in the words of the API. */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { FIAT_CURRENCIES, minorDecimals } from '../../../../domain/catalog/fiat.ts';
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

/** `total` is a decimal; `value`, of its first version, counts the smallest unit of the currency. */
export function invoiceAsked(body: JsonObject, context: ApiContext): Result<AskedInvoice, AppError> {
  const { catalog } = context.application;
  const amount = objectIn(body.amount);
  const id = textOf(body.currency) ?? textOf(amount.currencyId);
  if (id === null) return err(fault('currency', 'is required'));
  const fiat = fiatOfCoinpaymentsV2(FIAT_CURRENCIES, id);
  const priced = fiat === null ? assetOfCoinpaymentsV2(catalog, id) : null;
  if (fiat === null && priced === null) return err(fault('currency', `${id} is not known`));
  const paid = textOf(objectIn(body.payment).paymentCurrency);
  const asset = paid === null ? ok(priced) : currencyAsked(paid, 'payment.paymentCurrency', context);
  if (!asset.ok) return asset;
  if (priced !== null && asset.value !== priced)
    return err(fault('currency', 'must be a fiat currency, or the currency that is paid in'));
  const decimals = fiat === null ? (priced?.decimals ?? 0) : minorDecimals(fiat);
  const total = amount.total === undefined ? inUnits(amount.value, decimals) : decimalGiven(amount.total);
  if (total === null) return err(fault('amount.value', 'must be a whole number of the smallest unit'));
  const [webhook] = Array.isArray(body.webhooks) ? body.webhooks : [];
  const buyer = objectIn(body.buyer);
  const email =
    textOf(buyer.emailAddress) ?? textOf(buyer.email) ?? textOf(objectIn(body.payment).refundEmail);
  const [item] = Array.isArray(body.items) ? body.items : [];
  return ok({
    orderId: textOf(body.invoiceId),
    names: NAMES,
    format: 'coinpayments_v2',
    oncePerOrder: false,
    given: {
      amount: total,
      fiat_currency: fiat ?? undefined,
      asset: asset.value?.key,
      title: absentIfEmpty(objectIn(item).name),
      description: absentIfEmpty(body.description),
      notify_url: absentIfEmpty(objectIn(webhook).notificationsUrl),
      on_paid_url: absentIfEmpty(body.successUrl),
      on_cancel_url: absentIfEmpty(body.cancelUrl),
      metadata: absentIfEmpty(body.customData),
      payer_info: email === null ? undefined : { email },
    },
  });
}

export function currencyAsked(
  id: string,
  field: string,
  { application }: ApiContext,
): Result<Asset, AppError> {
  const asset = assetOfCoinpaymentsV2(application.catalog, id);
  return asset === null ? err(fault(field, `${id} is not known`)) : ok(asset);
}

/** A float that PHP multiplied by 100 may miss its whole number by this part of it at most. */
const NOISE = 10n ** 9n;

/** Null where it is no whole number: taken for a decimal it would be another amount. */
function inUnits(value: JsonValue | undefined, decimals: number): JsonValue | null {
  const read = parseDecimal(textOf(value) ?? '');
  if (read === null) return null;
  const one = 10n ** BigInt(read.scale);
  const whole = (read.digits + one / 2n) / one;
  const missed = read.digits - whole * one;
  const isWhole = (missed < 0n ? -missed : missed) * NOISE <= read.digits;
  return isWhole ? exactNumber(whole, decimals) : null;
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
