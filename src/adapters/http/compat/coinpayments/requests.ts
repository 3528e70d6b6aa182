/** Translates requests of CoinPayments' old API to those of the API. */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { isFiatCurrency } from '../../../../domain/catalog/fiat.ts';
import type { AppError } from '../../../../domain/errors.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import { coinpaymentsCodes } from '../../../shared/providers/coinpayments.ts';
import type { ApiContext } from '../../kit/call.ts';
import {
  type AskedInvoice,
  type AskedPayout,
  decimalGiven,
  type FieldNames,
  fault,
  flagAsked,
} from '../use-cases.ts';

/** The fields of a form without the empty ones. */
export type Form = Readonly<Record<string, string | undefined>>;

export function formOf(body: string): Form {
  return Object.fromEntries([...new URLSearchParams(body)].filter(([, value]) => value !== ''));
}

const INVOICE_NAMES: FieldNames = {
  fiat_currency: 'currency1',
  asset: 'currency2',
  extra: 'invoice',
  title: 'item_name',
  notify_url: 'ipn_url',
  on_paid_url: 'success_url',
  on_cancel_url: 'cancel_url',
  metadata: 'custom',
  payer_info: 'buyer_email',
};
const PAYOUT_NAMES: FieldNames = { fiat_currency: 'currency2', asset: 'currency', ref: 'note' };

export function transactionAsked(form: Form, context: ApiContext): Result<AskedInvoice, AppError> {
  const priced = form.currency1?.toUpperCase();
  if (priced === undefined) return err(fault('currency1', 'is required'));
  const asset = coinAsked(form.currency2, 'currency2', context);
  if (!asset.ok) return asset;
  const isFiat = isFiatCurrency(priced);
  if (!isFiat && coinpaymentsCodes.assetOf(context.application.catalog, priced) !== asset.value)
    return err(fault('currency1', 'must be a fiat currency, or the currency that is paid in'));
  // Refused: the money would go there and not to the merchant's balance.
  if (form.address !== undefined) return err(fault('address', 'is not supported'));
  const payer = { ...given('email', form.buyer_email), ...given('name', form.buyer_name) };
  return ok({
    orderId: form.invoice ?? form.item_number ?? null,
    names: INVOICE_NAMES,
    format: 'coinpayments',
    oncePerOrder: false,
    given: {
      amount: decimalGiven(form.amount),
      fiat_currency: isFiat ? priced : undefined,
      asset: asset.value.key,
      title: form.item_name,
      notify_url: form.ipn_url,
      on_paid_url: form.success_url,
      on_cancel_url: form.cancel_url,
      metadata: form.custom === undefined ? undefined : { custom: form.custom },
      payer_info: Object.keys(payer).length === 0 ? undefined : payer,
    },
  });
}

/**
 * `request` identifies the withdrawal, which has no id: the same request within two hours is a
 * repetition.
 */
export function withdrawalAsked(
  form: Form,
  request: string,
  context: ApiContext,
): Result<AskedPayout, AppError> {
  const asset = coinAsked(form.currency, 'currency', context);
  if (!asset.ok) return asset;
  // Without the tag the money would go to somebody else.
  if (form.dest_tag !== undefined)
    return err(
      fault('dest_tag', 'is not supported: for XRP use an X-address, which contains the destination tag'),
    );
  if (form.pbntag !== undefined) return err(fault('pbntag', 'is not supported'));
  const feeOnTop = flagAsked(form.add_tx_fee, 'add_tx_fee');
  if (!feeOnTop.ok) return feeOnTop;
  return ok({
    orderId: request,
    ref: form.note ?? null,
    kept: 'two hours',
    names: PAYOUT_NAMES,
    provider: 'coinpayments',
    given: {
      amount: decimalGiven(form.amount),
      asset: asset.value.key,
      fiat_currency: form.currency2,
      address: form.address,
      fee_bearer: feeOnTop.value === true ? 'merchant' : 'client',
    },
  });
}

/**
 * The fields `wd[name][field]`, by name. A malformed name is refused, so that no withdrawal is left
 * out.
 */
export function massOf(form: Form): Result<ReadonlyMap<string, Form>, AppError> {
  const all = new Map<string, Record<string, string | undefined>>();
  for (const [key, value] of Object.entries(form)) {
    const [, name, field] = /^wd\[(\w{1,64})\]\[(\w{1,64})\]$/.exec(key) ?? [];
    if (name === undefined || field === undefined) {
      if (!key.startsWith('wd')) continue;
      return err(
        fault(
          'wd',
          'must be named wd[name][field], where name and field have at most 64 letters, digits and _',
        ),
      );
    }
    // Changed in place: one name can have twenty thousand fields.
    const one = all.get(name) ?? {};
    one[field] = value;
    all.set(name, one);
  }
  return ok(all);
}

export function coinAsked(
  code: string | undefined,
  field: string,
  { application }: ApiContext,
): Result<Asset, AppError> {
  if (code === undefined) return err(fault(field, 'is required'));
  const asset = coinpaymentsCodes.assetOf(application.catalog, code);
  return asset === null ? err(fault(field, `${code} is not known`)) : ok(asset);
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}
