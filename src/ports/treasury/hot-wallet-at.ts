/** Which hot wallet is asked about, and as of which block. */
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
