/**
 * What the page reads besides the use cases. Each has a default that leaves its part of the page
 * out.
 */
import type { Application } from '../../../app/application.ts';
import type { Asset } from '../../../domain/catalog/asset.ts';
import type { FiatCurrency } from '../../../domain/catalog/fiat.ts';
import type { WalletPayment } from '../../../ports/chains/wallet-payments.ts';
import type { Brand, CheckoutPayment } from '../../../ports/checkout/checkout-queries.ts';

export interface CheckoutSources {
  /** Changes whenever the page would look different. Null for an unknown id. */
  liveState(externalId: string): Promise<string | null>;
  /** Oldest first. */
  payments(invoiceId: string): Promise<readonly CheckoutPayment[]>;
  brand(merchantId: string): Promise<Brand | null>;
  /** Whether the invoice's page leads to a refund. */
  refund(invoiceId: string): Promise<boolean>;
  /** What an ordinary transfer costs its sender, in micros of `currency`. Null while unknown. */
  feeHint(asset: Asset, currency: FiatCurrency): bigint | null;
  /** Confirmations that make a payment final on this chain. Null where the nodes decide. */
  confirmations(chain: string): number | null;
  /** Chain id of the network, for wallets (EIP-155). Null on a mainnet and outside EVM. */
  chainId(chain: string): number | null;
  /**
   * What wallets in a browser call the chain's network: an EIP-155 id in hex, or `main`, `test` or
   * `regtest`. Null where they cannot pay.
   */
  walletNetwork(chain: string): string | null;
  /** See WalletPayments. Null also where wallets make transactions by themselves. */
  walletTransaction(chain: string, payment: WalletPayment): Promise<Uint8Array | null>;
  /** URL of the transaction in an explorer. Null without one. */
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
    refund: async (invoiceId) => (await queries.checkoutClaim(invoiceId)) !== null,
    feeHint: customerFeeHint,
    confirmations: () => null,
    chainId: () => null,
    walletNetwork: () => null,
    walletTransaction: async () => null,
    explorer: () => null,
    ...given,
  };
}
