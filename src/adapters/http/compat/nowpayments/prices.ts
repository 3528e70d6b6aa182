/** GET /estimate and /min-amount. */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { FIAT_DECIMALS, type FiatCurrency, isFiatCurrency } from '../../../../domain/catalog/fiat.ts';
import { type AppError, ratesUnavailable } from '../../../../domain/errors.ts';
import { type Decimal, parseDecimal, roundToDisplay, toUnits } from '../../../../domain/money/decimal.ts';
import { exactNumber } from '../../../../domain/money/exact-number.ts';
import { fiatForUnits, priceE18, type Rates, unitsForFiat } from '../../../../domain/rates/rate.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import type { ApiContext } from '../../kit/call.ts';
import { type CompatCall, type CompatResult, replied } from '../surface.ts';
import { fault, leastUnits } from '../use-cases.ts';
import { coinAsked } from './requests.ts';

type PriceCurrency = { readonly fiat: FiatCurrency } | { readonly asset: Asset };

/**
 * Converts an amount of a coin or fiat currency to another. An amount in a coin is rounded up, as
 * in an invoice.
 */
export async function estimate({ query, caller }: CompatCall, context: ApiContext): CompatResult {
  const [from, to] = [query.get('currency_from') ?? '', query.get('currency_to') ?? ''];
  const amount = parseDecimal(query.get('amount') ?? '');
  const [source, target] = [
    currencyOf(from, 'currency_from', context),
    currencyOf(to, 'currency_to', context),
  ];
  if (!source.ok) return source;
  if (!target.ok) return target;
  const units = amount === null || amount.digits <= 0n ? null : unitsIn(source.value, amount);
  if (amount === null || units === null)
    return err(fault('amount', 'must be a number above zero with the decimals of its currency'));
  const rates = context.application.rates.usable(caller.scope);
  const worth = rates === null ? null : converted(rates, source.value, units, target.value);
  if (worth === null) return err(ratesUnavailable());
  return replied({
    currency_from: from,
    amount_from: exactNumber(amount.digits, amount.scale),
    currency_to: to,
    estimated_amount: worth,
  });
}

export async function minAmount({ query, caller }: CompatCall, context: ApiContext): CompatResult {
  const from = query.get('currency_from') ?? '';
  const coin = coinAsked(from, 'currency_from', context);
  if (!coin.ok) return coin;
  const least = leastUnits(coin.value, caller.scope.sandbox, context);
  const rates = context.application.rates.usable(caller.scope);
  if (least === null || rates === null) return err(ratesUnavailable());
  const fiat = query.get('fiat_equivalent')?.toUpperCase() ?? '';
  return replied({
    currency_from: from,
    currency_to: query.get('currency_to') ?? from,
    min_amount: exactNumber(least, coin.value.decimals),
    ...(isFiatCurrency(fiat)
      ? { fiat_equivalent: converted(rates, { asset: coin.value }, least, { fiat }) }
      : {}),
  });
}

function currencyOf(code: string, field: string, context: ApiContext): Result<PriceCurrency, AppError> {
  const upper = code.toUpperCase();
  if (isFiatCurrency(upper)) return ok({ fiat: upper });
  const asset = coinAsked(code, field, context);
  return asset.ok ? ok({ asset: asset.value }) : asset;
}

function unitsIn(currency: PriceCurrency, amount: Decimal): bigint | null {
  return toUnits(amount, 'fiat' in currency ? FIAT_DECIMALS : currency.asset.decimals);
}

/** Null while a price is unknown. Two coins are converted through USD. */
function converted(rates: Rates, from: PriceCurrency, units: bigint, to: PriceCurrency) {
  const through = 'fiat' in from ? from.fiat : 'fiat' in to ? to.fiat : 'USD';
  const micros = 'fiat' in from ? units : valued(rates, from.asset, through, units);
  if (micros === null) return null;
  if ('asset' in to) {
    const price = priceE18(rates, to.asset, through);
    if (price === null || price <= 0n) return null;
    const owed = roundToDisplay(unitsForFiat(micros, price, to.asset, 'ceil'), to.asset, 'ceil');
    return exactNumber(owed, to.asset.decimals);
  }
  return to.fiat === through ? exactNumber(micros, FIAT_DECIMALS) : null;
}

function valued(rates: Rates, asset: Asset, fiat: FiatCurrency, units: bigint): bigint | null {
  const price = priceE18(rates, asset, fiat);
  return price === null ? null : fiatForUnits(units, price, asset, 'floor');
}
