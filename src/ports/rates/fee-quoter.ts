/** Quotes the cost of sending an asset: for payouts at acceptance, and for customers. */
import type { Asset } from '../../domain/catalog/asset.ts';
import type { Rates } from '../../domain/rates/rate.ts';

export interface FeeQuoter {
  /** From memory, without network. Null without a price. */
  quote(asset: Asset, rates: Rates, environment: { sandbox: boolean }): FeeQuote | null;
  /** Only from an answer of the chain's node within 10 minutes, never the flat default. */
  quoteAsked(asset: Asset, rates: Rates): FeeQuote | null;
  /**
   * The same for payments to these recipients, in their order. If a recipient can make its payment
   * dearer, a node is asked, for two seconds at most and for a limited number of a merchant's
   * recipients. Without an answer the payment is quoted as an ordinary one, and the check before
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
  /** The part that pays for energy (Tron); null elsewhere. */
  readonly energyFeeMicroUsd: bigint | null;
  /** Payment.extraGas (ports/sending/payment.ts). */
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
  /** There is no price. */
  | { readonly kind: 'unpriced' }
  /**
   * The recipient makes it cost more than the configured bound. `feeMicroUsd` null: not determined.
   */
  | { readonly kind: 'too_dear'; readonly feeMicroUsd: bigint | null; readonly mostMicroUsd: bigint };
