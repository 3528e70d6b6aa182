/** Translates Cryptomus' requests to those of the API. */
import type { TestWebhook } from '../../../../app/application.ts';
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { isFiatCurrency } from '../../../../domain/catalog/fiat.ts';
import { type AppError, validationError } from '../../../../domain/errors.ts';
import type { InvoiceStatus } from '../../../../domain/invoices/invoice.ts';
import type { FeeBearer } from '../../../../domain/money/fee.ts';
import type { JsonObject, JsonValue } from '../../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import type { ApiContext } from '../../kit/call.ts';
import { isJsonObject } from '../../kit/input/exact-json.ts';
import { webhookUrl } from '../../kit/input/fields.ts';
import { Faults } from '../../kit/input/validate.ts';
import {
  type AskedInvoice,
  type AskedPayout,
  absentIfEmpty,
  decimalGiven,
  type FieldNames,
  fault,
  flagAsked,
  negated,
  textOf,
} from '../use-cases.ts';
import type { Dialect } from './dialect.ts';

const INVOICE_NAMES: FieldNames = {
  fiat_currency: 'currency',
  asset: 'network',
  extra: 'order_id',
  ttl: 'lifetime',
  notify_url: 'url_callback',
  on_paid_url: 'url_success',
  on_cancel_url: 'url_return',
  underpay_tolerance: 'accuracy_payment_percent',
  price_modifier: 'discount_percent',
  description: 'additional_data',
  accepted_coins: 'currencies',
  excluded_coins: 'except_currencies',
  payer_info: 'payer_email',
};
const PAYOUT_NAMES: FieldNames = { fiat_currency: 'currency', asset: 'network', ref: 'order_id' };

export function paymentAsked(
  body: JsonObject,
  dialect: Dialect,
  context: ApiContext,
): Result<AskedInvoice, AppError> {
  const priced = pricedIn(body, dialect, context);
  if (!priced.ok) return priced;
  const { fiat, asset } = priced.value;
  const orderId = textOf(body.order_id);
  if (orderId === null) return err(fault('order_id', 'is required'));
  const bearer = feeBearer(body.subtract);
  if (!bearer.ok) return bearer;
  const coins = asset === null ? coinsAsked(body, dialect, context) : ok({});
  if (!coins.ok) return coins;
  const email = textOf(body.payer_email);
  return ok({
    orderId,
    names: INVOICE_NAMES,
    format: dialect.provider,
    oncePerOrder: true,
    given: {
      amount: decimalGiven(body.amount),
      fiat_currency: fiat ?? undefined,
      asset: asset?.key,
      ttl: decimalGiven(body.lifetime),
      notify_url: absentIfEmpty(body.url_callback),
      on_paid_url: absentIfEmpty(body.url_success) ?? absentIfEmpty(body.url_return),
      on_cancel_url: absentIfEmpty(body.url_return),
      underpay_tolerance: decimalGiven(body.accuracy_payment_percent),
      // A discount lowers the price.
      price_modifier: negated(body.discount_percent),
      description: absentIfEmpty(body.additional_data),
      ...coins.value,
      payer_info: email === null ? undefined : { email },
      fee_bearer: bearer.value,
    },
  });
}

export function payoutAsked(
  body: JsonObject,
  dialect: Dialect,
  context: ApiContext,
): Result<AskedPayout, AppError> {
  const priced = pricedIn(body, dialect, context);
  if (!priced.ok) return priced;
  const { fiat, asset } = priced.value;
  if (asset === null) return err(fault('to_currency', 'is required with a fiat currency'));
  const orderId = textOf(body.order_id);
  if (orderId === null) return err(fault('order_id', 'is required'));
  // Without the memo the money would go to somebody else.
  if (absentIfEmpty(body.memo) !== undefined)
    return err(
      fault('memo', 'is not supported: for XRP use an X-address, which contains the destination tag'),
    );
  const feeOnTop = flagAsked(body.is_subtract, 'is_subtract');
  if (!feeOnTop.ok) return feeOnTop;
  return ok({
    orderId,
    names: PAYOUT_NAMES,
    provider: dialect.provider,
    given: {
      amount: decimalGiven(body.amount),
      fiat_currency: fiat ?? undefined,
      asset: asset.key,
      address: absentIfEmpty(body.address),
      fee_bearer: feeOnTop.value === true ? 'merchant' : 'client',
    },
  });
}

/** The invoice status of each status of a test webhook. A status without one is refused. */
const SAMPLES: Readonly<Record<string, InvoiceStatus>> = {
  process: 'confirming',
  check: 'created',
  confirm_check: 'confirming',
  paid: 'success',
  paid_over: 'paid_over',
  wrong_amount: 'partially_paid',
  fail: 'failed',
  cancel: 'expired',
  refund_paid: 'refunded',
};

/** A test webhook about a payment. */
export function testWebhookAsked(body: JsonObject, { provider }: Dialect): Result<TestWebhook, AppError> {
  const faults = new Faults();
  const url = textOf(body.url_callback);
  if (url === null) return err(fault('url_callback', 'is required'));
  webhookUrl(url, 'url_callback', faults);
  const status = SAMPLES[textOf(body.status) ?? 'paid'];
  if (status === undefined) faults.add('status', `must be one of ${Object.keys(SAMPLES).join(', ')}`);
  if (!faults.isEmpty) return err(validationError(faults.list()));
  return ok({ url, status: status ?? null, format: provider });
}

/** The asset of a request that names a currency and a network. */
export function assetAsked(body: JsonObject, dialect: Dialect, context: ApiContext): Result<Asset, AppError> {
  const currency = textOf(body.currency);
  if (currency === null) return err(fault('currency', 'is required'));
  return oneAsset({ currency, field: 'currency', network: textOf(body.network) }, dialect, context);
}

/** The fiat currency of the amount, if it is in one, and the asset, if one is named. */
function pricedIn(
  body: JsonObject,
  dialect: Dialect,
  context: ApiContext,
): Result<{ fiat: string | null; asset: Asset | null }, AppError> {
  const currency = textOf(body.currency)?.toUpperCase() ?? null;
  if (currency === null) return err(fault('currency', 'is required'));
  const to = textOf(body.to_currency);
  const network = textOf(body.network);
  const isFiat = isFiatCurrency(currency);
  if (!isFiat && to !== null && to.toUpperCase() !== currency)
    return err(fault('to_currency', 'must be the same as currency, unless currency is a fiat currency'));
  const fiat = isFiat ? currency : null;
  if (isFiat && to === null) return ok({ fiat, asset: null });
  const named = isFiat ? { currency: to ?? '', field: 'to_currency' } : { currency, field: 'currency' };
  const asset = oneAsset({ ...named, network }, dialect, context);
  return asset.ok ? ok({ fiat, asset: asset.value }) : asset;
}

function oneAsset(
  { currency, field, network }: { currency: string; field: string; network: string | null },
  dialect: Dialect,
  context: ApiContext,
): Result<Asset, AppError> {
  const [found, ...others] = assetsNamed({ currency, network }, dialect, context);
  if (found === undefined)
    return err(
      fault(
        network === null ? field : 'network',
        `${currency} is not known${network === null ? '' : ` on ${network}`}`,
      ),
    );
  if (others.length === 0) return ok(found);
  const names = [found, ...others].map(({ chain }) => dialect.networks.nameOf(chain));
  return err(fault('network', `is required: ${currency} is on ${names.join(', ')}`));
}

/** Polygon's coin had another name before. */
const RENAMED: Readonly<Record<string, string>> = { matic: 'pol' };

function assetsNamed(
  { currency, network }: { currency: string | null; network: string | null },
  { networks }: Dialect,
  { application: { catalog } }: ApiContext,
): readonly Asset[] {
  const lower = currency?.toLowerCase() ?? null;
  const ticker = lower === null ? null : (RENAMED[lower] ?? lower);
  const chain = network === null ? null : networks.chainOf(network);
  if (network !== null && chain === null) return [];
  return catalog.all.filter(
    (asset) =>
      (ticker === null || asset.ticker === ticker || asset.symbol.toLowerCase() === ticker) &&
      (chain === null || asset.chain === chain),
  );
}

/** `currencies`, `except_currencies`, and a network that is given without a currency to pay in. */
function coinsAsked(
  body: JsonObject,
  dialect: Dialect,
  context: ApiContext,
): Result<{ accepted_coins?: string[]; excluded_coins?: string[] }, AppError> {
  const listed = coinsOf(body.currencies, 'currencies', dialect, context);
  if (!listed.ok) return listed;
  // Without any known coin the list would allow every coin. An unknown coin of the other list is
  // excluded anyway.
  if (listed.value?.length === 0) return err(fault('currencies', 'has no known coin'));
  const excluded = coinsOf(body.except_currencies, 'except_currencies', dialect, context);
  if (!excluded.ok) return excluded;
  const left = excluded.value === null ? {} : { excluded_coins: excluded.value };
  const network = textOf(body.network);
  if (network === null) return ok(listed.value === null ? left : { ...left, accepted_coins: listed.value });
  const onNetwork = assetsNamed({ currency: null, network }, dialect, context).map(({ key }) => key);
  const accepted = onNetwork.filter((key) => listed.value?.includes(key) ?? true);
  if (accepted.length > 0) return ok({ ...left, accepted_coins: accepted });
  return err(fault('network', `${network} has none of the accepted coins`));
}

/** The assets of `[{ currency, network? }]`, without unknown ones. Null if none is given. */
function coinsOf(
  value: JsonValue | undefined,
  field: string,
  dialect: Dialect,
  context: ApiContext,
): Result<string[] | null, AppError> {
  if (absentIfEmpty(value) === undefined) return ok(null);
  const list = Array.isArray(value) ? value : [value];
  const keys: string[] = [];
  for (const entry of list) {
    const currency = isJsonObject(entry) ? textOf(entry.currency) : null;
    if (!isJsonObject(entry) || currency === null)
      return err(fault(field, 'must be a list of { currency, network }'));
    const named = { currency, network: textOf(entry.network) };
    keys.push(...assetsNamed(named, dialect, context).map(({ key }) => key));
  }
  return ok(list.length === 0 ? null : keys);
}

/** The percentage of the commission that the customer pays: 0 or 100. */
function feeBearer(value: JsonValue | undefined): Result<FeeBearer | undefined, AppError> {
  const percent = textOf(value);
  if (percent === null) return ok(undefined);
  if (percent === '100') return ok('client');
  return percent === '0' ? ok('merchant') : err(fault('subtract', 'must be 0 or 100'));
}
