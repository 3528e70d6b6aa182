import type { OutgoingTransfer, SignedTransaction } from '../../domain/sending/outgoing.ts';
import type { OutgoingPurpose } from '../../domain/sending/outgoing-purpose.ts';
import type { TimesOver } from '../kept-times.ts';

/** Wallets, and the transfers that leave them. */
export interface OutgoingRepository {
  /**
   * Takes the next nonce of a wallet and locks the wallet until the transaction ends. It is the
   * lowest one from `givenBackFrom` on that was given back unsigned (takenOut). If there is none,
   * or `givenBackFrom` is absent, it is a new one that is at least `atLeast`.
   */
  takeNonce(wallet: { chain: string; address: string } & NonceFrom): Promise<bigint>;
  /** The nonces that so many calls of `takeNonce` would return. */
  takeNonces(
    wallet: { chain: string; address: string } & NonceFrom,
    count: number,
  ): Promise<readonly bigint[]>;
  /** One nonce of each wallet, as `takeNonce` would return it: by wallet. */
  takeNonceOfEach(
    chain: string,
    wallets: readonly ({ readonly address: string } & NonceFrom)[],
  ): Promise<ReadonlyMap<string, bigint>>;
  /** The least that `takeNonce` would return; zero if none was ever taken. Not locked. */
  nextOf(wallet: { chain: string; address: string }): Promise<bigint>;
  /** The same for many wallets, by wallet. */
  nextOfEach(chain: string, addresses: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  /**
   * The wallet's lowest nonce from `from` on that nothing was signed for, and at most `nextOf`;
   * `from` if none was ever taken. Not locked.
   */
  unsignedFrom(wallet: { chain: string; address: string; from: bigint }): Promise<bigint>;
  /** Never again takes a nonce of the wallet below this one: others used them. */
  skipNonces(wallet: { chain: string; address: string; below: bigint }): Promise<void>;
  /** How many batches of the wallet are not settled. Not locked. */
  batchesOnTheWay(wallet: { chain: string; address: string }): Promise<number>;
  /** Nonces of the wallet in `from` .. `below` - 1 without a transfer, lowest first. */
  unusedNonces(wallet: {
    chain: string;
    address: string;
    from: bigint;
    below: bigint;
    limit: number;
  }): Promise<readonly bigint[]>;
  /**
   * The transfers that leave the wallet after a snapshot of it, by asset: units of those that did
   * not fail, and the number of payments. Settled ones count too, because the snapshot may lack
   * them.
   */
  commitmentsSince(wallet: {
    chain: string;
    address: string;
    since: CommittedSince;
  }): Promise<readonly Commitment[]>;
  /** Stake of the wallet whose delegation is not in a block up to `height`: pending or later. */
  delegatedSince(wallet: { chain: string; address: string; height: number }): Promise<bigint>;
  /** Nobody else takes a nonce of the wallet until the transaction ends. */
  lockWallet(wallet: { chain: string; address: string }): Promise<void>;
  /** The same for many, in the order of their addresses. */
  lockWallets(chain: string, addresses: readonly string[]): Promise<void>;
  insert(transfer: OutgoingTransfer): Promise<void>;
  insertAll(transfers: readonly OutgoingTransfer[]): Promise<void>;
  /** All transfers of a batch, by position. `lockBatch` locks them. */
  ofBatch(transferBatchId: string): Promise<readonly OutgoingTransfer[]>;
  lockBatch(transferBatchId: string): Promise<readonly OutgoingTransfer[]>;
  /** All transfers of these batches, by batch and position. `lockBatches` locks them. */
  ofBatches(transferBatchIds: readonly string[]): Promise<readonly OutgoingTransfer[]>;
  lockBatches(transferBatchIds: readonly string[]): Promise<readonly OutgoingTransfer[]>;
  /** Ids of the payouts that a batch pays; empty for other purposes. */
  payoutsOf(transferBatchId: string): Promise<readonly string[]>;
  /** In no order, and not locked. */
  find(ids: readonly string[]): Promise<readonly OutgoingTransfer[]>;
  lock(id: string): Promise<OutgoingTransfer | null>;
  save(transfer: OutgoingTransfer): Promise<void>;
  /** The same for many locked ones. */
  saveAll(transfers: readonly OutgoingTransfer[]): Promise<void>;
  /**
   * Stores signed bytes under the next ordinal. Returns false if another worker stored that ordinal
   * first: these bytes must not be broadcast.
   */
  insertSigned(transaction: Omit<SignedTransaction, 'broadcastAt'>): Promise<boolean>;
  /** The same for many; throws where one of the ordinals is stored. */
  insertAllSigned(transactions: readonly Omit<SignedTransaction, 'broadcastAt'>[]): Promise<void>;
  /** What was marked before keeps its time. */
  markBroadcast(txids: readonly string[], at: Date): Promise<void>;
  /** All transactions signed for these batches, by ordinal. */
  signedOf(transferBatchIds: readonly string[]): Promise<readonly SignedTransaction[]>;
  /**
   * The transfer of a payout, sweep or top-up that happened or may still happen and was not
   * given up; null if there is none. Not locked.
   */
  activeOf(purpose: OutgoingPurpose, referenceId: string): Promise<OutgoingTransfer | null>;
  /** Those of `referenceIds` that `activeOf` finds a transfer of. */
  activeAmong(purpose: OutgoingPurpose, referenceIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * The unsettled transfer of a payout with a signed transaction that pays it, given up or not.
   * Not locked.
   */
  payingOf(payoutId: string): Promise<OutgoingTransfer | null>;
  /** Forwards of the assets (null: of all) of which nothing is signed. Not locked. */
  unsignedForwards(assets: readonly string[] | null): Promise<readonly OutgoingTransfer[]>;
  /** The newest forwards of an asset, newest first. Not locked. */
  newestForwards(asset: string, limit: number): Promise<readonly OutgoingTransfer[]>;
  /** A chain's unsettled transfers, by wallet, nonce and position in their batch. Not locked. */
  open(chain: string, limit: number): Promise<readonly OutgoingTransfer[]>;
  /**
   * A chain's settled transfers in blocks from `height` on, for deep reorganisations. Not locked.
   */
  settledFrom(chain: string, height: number): Promise<readonly OutgoingTransfer[]>;
  /**
   * Removes the bytes of transactions that were signed then, at most `limit`, and returns how many.
   * Kept are the bytes of batches that are not settled, of those that the ledger booked something
   * of since, and of those in a block that is not below all remembered ones, whatever the clock
   * says. Their hashes stay.
   */
  forgetBytes(over: TimesOver, limit: number): Promise<number>;
  /** Those of `txids` that this gateway signed. */
  ours(txids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Hashes of the newest transactions that this gateway signed. */
  newestSigned(limit: number): Promise<readonly string[]>;
  /**
   * Since when an operator has stopped signing; null if not. Locked for reading until the
   * transaction ends, for one that stores what a stop forbids: the stop waits until it has ended.
   */
  signingStopped(): Promise<SigningStop | null>;
  /** The same, not locked: for what uses the answer only after its transaction. */
  findSigningStop(): Promise<SigningStop | null>;
  /**
   * Stops signing, or resumes it (null), and returns what was in force before. It waits for the
   * transactions that have read `signingStopped`, and those that read it later wait behind.
   */
  setSigningStopped(stop: SigningStop | null): Promise<SigningStop | null>;
}

export interface SigningStop {
  readonly at: Date;
  readonly note: string;
}

/** Where a wallet's nonces continue (src/app/sending/nonces/next-nonce.ts). */
export interface NonceFrom {
  /** The chain's own count. */
  readonly atLeast: bigint;
  /** Absent where the chain has no nonces: one that was given back is not used again. */
  readonly givenBackFrom?: bigint;
}

/** A snapshot of a wallet: its first unused nonce or, on chains without nonces, its block. */
export type CommittedSince = { readonly nonce: bigint } | { readonly height: number };

export interface Commitment {
  readonly asset: string;
  readonly units: bigint;
  readonly payments: number;
}
