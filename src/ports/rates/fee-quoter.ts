/** What sending an asset costs, quoted when a payout is accepted and shown to customers. */
import type { Asset } from '../../domain/catalog/asset.ts';
import type { Rates } from '../../domain/rates/rate.ts';

export interface FeeQuoter {
  /** From memory: no network. Null when there is no price to value it with. */
  quote(asset: Asset, rates: Rates, environment: { sandbox: boolean }): FeeQuote | null;
  /** Only what the chain's node told within 10 minutes: no flat figure stands in. */
  quoteAsked(asset: Asset, rates: Rates): FeeQuote | null;
  /**
   * The same for payments to these recipients, in their order. Nodes are asked where a recipient can make its payment dearer, for two
   * seconds at most and for so many recipients of a merchant; what is not told is quoted as an ordinary payment, and the check before
   * signing decides (safety.md G1).
   */
  quoteEach(
    payments: readonly AskedPayment[],
    rates: Rates,
    scope: { merchantId: string; sandbox: boolean },
  ): Promise<readonly RecipientQuote[]>;
}

export interface FeeQuote {
  /** In base units of the payout's asset, rounded up. */
  readonly feeUnits: bigint;
  readonly feeMicroUsd: bigint;
  /** The part that pays for energy on chains that have it (tron); null elsewhere. */
  readonly energyFeeMicroUsd: bigint | null;
  /** What the recipient may take of it beyond an ordinary payment's (Payment.extraGas in sending/chain-sender.ts). */
  readonly extraGas: bigint;
}

export interface AskedPayment {
  readonly asset: Asset;
  /** Normalized. */
  readonly to: string;
  /** Base units of the asset. */
  readonly units: bigint;
}

export type RecipientQuote =
  | { readonly kind: 'quoted'; readonly quote: FeeQuote }
  /** No price to value it with. */
  | { readonly kind: 'unpriced' }
  /** The recipient makes the payment cost more than the configured bound; what it costs is null where it was not tried any further. */
  | { readonly kind: 'too_dear'; readonly feeMicroUsd: bigint | null; readonly mostMicroUsd: bigint };
