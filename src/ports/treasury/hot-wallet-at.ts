/** Which wallets are asked about, and as of which block. */

export interface HotWalletAt {
  readonly chain: string;
  readonly nativeAsset: string;
  readonly height: number;
  /** Normalized. */
  readonly wallet: string;
  readonly apart: readonly string[];
  /** Deposits lie there too (SendingCapabilities.pooled), and what nobody decided on. */
  readonly pooled: boolean;
}

/** Deposit addresses. */
export interface AddressesAt {
  readonly chain: string;
  readonly nativeAsset: string;
  readonly height: number;
  /** Normalized. */
  readonly addresses: readonly string[];
  readonly apart: readonly string[];
}

export interface UnitsAtAddress {
  readonly address: string;
  readonly asset: string;
  readonly units: bigint;
}
