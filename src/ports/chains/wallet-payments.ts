/**
 * Payments that a customer's wallet signs, on chains where the transaction needs the chain's state.
 */
export interface WalletPayments {
  /**
   * The transaction without its signature, as the wallet takes it; null if `from` is no address.
   * Rejects with ChainUnavailable when no node answers.
   */
  unsigned(payment: WalletPayment): Promise<Uint8Array | null>;
}

export interface WalletPayment {
  /** Asset key. */
  readonly asset: string;
  /** The customer's wallet. */
  readonly from: string;
  readonly to: string;
  /** Base units. */
  readonly units: bigint;
}
