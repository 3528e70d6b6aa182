/**
 * The cost of a transfer for a customer, for the list of currencies: the gateway's own cost of a
 * payout in the asset.
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import type { AppDependencies } from '../dependencies.ts';

/**
 * Micro-USD; null without a node's answer within 10 minutes, or without a fresh price. The same for
 * sandbox invoices.
 */
export function customerFeeHint(
  deps: Pick<AppDependencies, 'rateBook' | 'feeQuoter'>,
  asset: Asset,
): bigint | null {
  const rates = deps.rateBook.usable({ sandbox: false });
  return rates === null ? null : (deps.feeQuoter.quoteAsked(asset, rates)?.feeMicroUsd ?? null);
}
