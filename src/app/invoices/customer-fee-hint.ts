/**
 * The cost of a transfer for a customer, for the list of currencies: the gateway's own cost of a
 * payout in the asset.
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import type { FiatCurrency } from '../../domain/catalog/fiat.ts';
import { mulDiv } from '../../domain/money/decimal.ts';
import { RATE_SCALE } from '../../domain/rates/rate.ts';
import type { AppDependencies } from '../dependencies.ts';

/**
 * Micros of `currency`, rounded up; null without a node's answer within 10 minutes, or without a
 * fresh price. The same for sandbox invoices.
 */
export function customerFeeHint(
  deps: Pick<AppDependencies, 'rateBook' | 'feeQuoter'>,
  asset: Asset,
  currency: FiatCurrency,
): bigint | null {
  const rates = deps.rateBook.usable({ sandbox: false });
  const perUsd = rates?.fiatPerUsdE18.get(currency);
  if (rates === null || perUsd === undefined) return null;
  const fee = deps.feeQuoter.quoteAsked(asset, rates);
  return fee === null ? null : mulDiv(fee.feeMicroUsd, perUsd, RATE_SCALE, 'ceil');
}
