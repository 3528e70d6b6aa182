/** What the page asks besides the use cases; each has an answer that leaves its part of the page out. */
import type { Application } from '../../../app/application.ts';
import type { Asset } from '../../../domain/catalog/asset.ts';
import type { Brand, CheckoutPayment } from '../../../ports/checkout/checkout-queries.ts';

export interface CheckoutSources {
  /** Changes whenever the page would look different; null for an id that nobody has. */
  liveState(externalId: string): Promise<string | null>;
  /** The oldest first. */
  payments(invoiceId: string): Promise<readonly CheckoutPayment[]>;
  brand(merchantId: string): Promise<Brand | null>;
  /** What a usual transfer costs its sender, in micro-USD; null unknown. */
  feeHint(asset: Asset): bigint | null;
  /** Blocks after which a payment is final on this chain; null where the node's own word is awaited. */
  confirmations(chain: string): number | null;
  /** Of the network that the chain is on, for wallets (EIP-155); null: the main one, or outside evm. */
  chainId(chain: string): number | null;
  /** Address of a page about the transaction; null without one. */
  explorer(chain: string, txid: string): string | null;
}

export function checkoutSources(
  { queries, liveStates, customerFeeHint }: Application,
  given: Partial<CheckoutSources> = {},
): CheckoutSources {
  return {
    liveState: async (externalId) => (await liveStates([externalId])).get(externalId) ?? null,
    payments: (invoiceId) => queries.checkoutPayments(invoiceId),
    brand: (merchantId) => queries.brand(merchantId),
    feeHint: customerFeeHint,
    confirmations: () => null,
    chainId: () => null,
    explorer: () => null,
    ...given,
  };
}
