/** What a transfer costs a customer, for the list of currencies: what a payout of the asset costs us, as its node told lately. */
import type { Asset } from '../../domain/catalog/asset.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Micro-USD; null where no node told within 10 minutes or no fresh price values it. Sandbox invoices are shown the same. */
export function customerFeeHint(
  deps: Pick<AppDependencies, 'rateBook' | 'feeQuoter'>,
  asset: Asset,
): bigint | null {
  const rates = deps.rateBook.usable({ sandbox: false });
  return rates === null ? null : (deps.feeQuoter.quoteAsked(asset, rates)?.feeMicroUsd ?? null);
}
