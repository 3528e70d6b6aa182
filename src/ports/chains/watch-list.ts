/** What a scanner looks for. */

/** What the application watches. Each call reads the database. */
export interface WatchList {
  /** Of `addresses` (normalized), those that were ever issued. */
  known(addresses: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Addresses that expect this chain's native coin now. Their balances are compared where a node
   * cannot trace.
   */
  expectingNative(): Promise<readonly string[]>;
  /**
   * The addresses to follow at a source that needs a list: those that expect the coin, the newest
   * ones, the permanent ones that were deactivated last, those that hold UTXOs, the hot wallet, and
   * the recipients of pending payouts (a restored database does not know that one was paid). An
   * address that was given out long ago is not among them.
   */
  following(): Promise<readonly string[]>;
  /** Of these payments those that are recorded in a block, by `outputKey`. */
  recorded(
    payments: readonly { readonly txid: string; readonly output: string }[],
  ): Promise<ReadonlySet<string>>;
  /** Every address that any instance can have given out has a derivation index below this one. */
  reservedIndexes(): Promise<number>;
  /**
   * The hot wallet, to find transactions that this gateway did not sign; absent if nothing is sent.
   */
  readonly spending?: WatchedSpending;
}

export interface WatchedSpending {
  /** Normalized. */
  readonly wallet: string;
  /** Of these transactions those that this gateway signed. */
  signed(txids: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * UTXO chains: of these outputs, `txid:vout`, those that our keys can spend or could spend once.
   */
  ours(outpoints: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * UTXO chains: of these addresses those that take our change, with their index (ChangeAddresses).
   */
  change(addresses: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Transactions of this gateway, from deposit addresses, that may be in blocks from `height` on.
   */
  sent(height: number): Promise<readonly SentTransaction[]>;
  /** The payments of the chain's pending payouts. */
  owed(): Promise<readonly OwedPayment[]>;
}

export interface SentTransaction {
  readonly txid: string;
  /** Normalized. */
  readonly from: string;
  /** Base units of the native coin that it pays, without its fee. Zero if it pays a token. */
  readonly units: bigint;
}

export interface OwedPayment {
  /** Normalized. */
  readonly to: string;
  /** Base units, paid by one output. */
  readonly units: bigint;
}
