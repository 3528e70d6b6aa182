import type { OutgoingPurpose, OutgoingTransfer, SignedTransaction } from '../../domain/sending/outgoing.ts';

/** Wallets, and what leaves them. */
export interface OutgoingRepository {
  /**
   * Takes the next nonce of a wallet, which stays locked for the rest of the transaction: the lowest from `givenBackFrom` on
   * that others gave back unsigned (takenOut), and where there is none, or it is not given, a new one that is at least `atLeast`.
   */
  takeNonce(wallet: { chain: string; address: string } & NonceFrom): Promise<bigint>;
  /** The least that `takeNonce` would answer; zero where none was ever taken. Not locked. */
  nextOf(wallet: { chain: string; address: string }): Promise<bigint>;
  /**
   * The lowest nonce of the wallet from `from` on for which nothing was signed, and at most what `nextOf` answers; `from` where none was
   * ever taken. Not locked.
   */
  unsignedFrom(wallet: { chain: string; address: string; from: bigint }): Promise<bigint>;
  /** No nonce of the wallet below this one is taken any more: others used them. */
  skipNonces(wallet: { chain: string; address: string; below: bigint }): Promise<void>;
  /** How many batches of the wallet are not settled. Not locked. */
  batchesOnTheWay(wallet: { chain: string; address: string }): Promise<number>;
  /** Nonces of the wallet in `from` .. `below` - 1 that no transfer has (any more), lowest first. */
  unusedNonces(wallet: {
    chain: string;
    address: string;
    from: bigint;
    below: bigint;
    limit: number;
  }): Promise<readonly bigint[]>;
  /**
   * What leaves the wallet after a view of it, by asset: units of all that did not come to nothing, and how many payments.
   * Settled ones count, too: what was read of the chain before may lack them.
   */
  promised(wallet: { chain: string; address: string; since: CommittedSince }): Promise<readonly Commitment[]>;
  /** Stake of the wallet that is lent to others in no block up to `height`, or is to be. */
  lentSince(wallet: { chain: string; address: string; height: number }): Promise<bigint>;
  /** Keeps others from taking a nonce of the wallet for the rest of the transaction. */
  lockWallet(wallet: { chain: string; address: string }): Promise<void>;
  insert(transfer: OutgoingTransfer): Promise<void>;
  /** All transfers of a batch, in their order. `lockBatch` locks them. */
  ofBatch(transferBatchId: string): Promise<readonly OutgoingTransfer[]>;
  lockBatch(transferBatchId: string): Promise<readonly OutgoingTransfer[]>;
  /** Ids of the payouts that a batch pays; none for other purposes. */
  payoutsOf(transferBatchId: string): Promise<readonly string[]>;
  /** In no order, and not locked. */
  find(ids: readonly string[]): Promise<readonly OutgoingTransfer[]>;
  lock(id: string): Promise<OutgoingTransfer | null>;
  save(transfer: OutgoingTransfer): Promise<void>;
  /** Stores signed bytes under the next ordinal; false when another worker stored that ordinal first: those bytes must not be broadcast. */
  insertSigned(transaction: Omit<SignedTransaction, 'broadcastAt'>): Promise<boolean>;
  markBroadcast(txid: string, at: Date): Promise<void>;
  /** All transactions that were signed for these batches, by ordinal. */
  signedOf(transferBatchIds: readonly string[]): Promise<readonly SignedTransaction[]>;
  /** The transfer of a payout, sweep or top-up that may still happen or did, and was not given up; null when there is none. Not locked. */
  activeOf(purpose: OutgoingPurpose, referenceId: string): Promise<OutgoingTransfer | null>;
  /** The transfer of a payout for which a transaction is signed that pays it, and that is not settled, given up or not; not locked. */
  payingOf(payoutId: string): Promise<OutgoingTransfer | null>;
  /** Transfers of a chain that are not settled, by wallet, nonce and place in their batch. Not locked. */
  open(chain: string, limit: number): Promise<readonly OutgoingTransfer[]>;
  /** Settled transfers of a chain in blocks from `height` on: those that a deep reorganisation may still move. Not locked. */
  settledFrom(chain: string, height: number): Promise<readonly OutgoingTransfer[]>;
  /** Those of `txids` that we signed ourselves. */
  ours(txids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Hashes of the newest that we signed. */
  newestSigned(limit: number): Promise<readonly string[]>;
  /** Whether the operator stopped signing; locked for reading until the transaction ends, so that a stop takes effect at once. */
  signingStopped(): Promise<{ readonly at: Date; readonly note: string } | null>;
  /** Stops signing, or lets it go on (null). */
  setSigningStopped(stop: { at: Date; note: string } | null): Promise<void>;
}

/** Where the nonces of a wallet go on (app/sending/nonces/next-nonce.ts). */
export interface NonceFrom {
  /** The chain's own count. */
  readonly atLeast: bigint;
  /** Left out where nonces are not handed on, since the chain does not count them. */
  readonly givenBackFrom?: bigint;
}

/** A wallet as it was read: by the first nonce that it does not show as used, or where nonces say nothing, by its block. */
export type CommittedSince = { readonly nonce: bigint } | { readonly height: number };

export interface Commitment {
  readonly asset: string;
  readonly units: bigint;
  readonly payments: number;
}
