/** What sending an asset costs, quoted when a payout is accepted and shown to customers. From memory: no network on a request. */
import type { Asset } from '../domain/asset.ts';
import type { Rates } from '../domain/rate.ts';

export interface FeeQuoter {
  /** Null when there is no price to value it with. */
  quote(asset: Asset, rates: Rates, environment: { sandbox: boolean }): FeeQuote | null;
  /** Only what the chain's node told within 10 minutes: no flat figure stands in. */
  quoteAsked(asset: Asset, rates: Rates): FeeQuote | null;
}

export interface FeeQuote {
  /** In base units of the payout's asset, rounded up. */
  readonly feeUnits: bigint;
  readonly feeMicroUsd: bigint;
  /** The part that pays for energy on chains that have it (tron); null elsewhere. */
  readonly energyFeeMicroUsd: bigint | null;
}
