/**
 * What scanner and sender need of a source of chain data: our own node (rpc/backend.ts), an Esplora
 * server (esplora/backend.ts) or an Electrum server (electrum/backend.ts). Every failure is a
 * NodeError, a NodeLagging or an RpcError (shared/nodes/node-errors.ts).
 */
import type { Outpoint } from '../../../domain/chains/outpoint.ts';
import type { BlockRef, TransactionStatus } from '../../../ports/chains/chain-scanner.ts';
import type { OwedPayment } from '../../../ports/chains/watch-list.ts';
import type { BroadcastOutcome } from '../../../ports/sending/chain-sender.ts';
import { NodeError } from '../shared/nodes/node-errors.ts';
import { MalformedBytes } from './codec/byte-reader.ts';
import type { ProvenHeader } from './codec/header-proof.ts';
import type { RawTransaction } from './codec/transaction.ts';

/** Whole blocks, or the histories of the addresses that are followed. */
export type UtxoBackend = BlockBackend | HistoryBackend;

interface AnyBackend extends SpendingBackend {
  readonly label: string;

  /** The canonical block at `height`, or null when the chain is shorter. */
  headerAt(height: number): Promise<BlockRef | null>;
  readonly mempool: Mempool;
  /**
   * Transactions in consensus bytes, at least waiting ones; null for those not known, or not known
   * any more.
   */
  rawTransactions(txids: readonly string[]): Promise<readonly (Uint8Array | null)[]>;
}

export interface BlockBackend extends AnyBackend {
  /** A block in consensus bytes, canonical or not. */
  rawBlock(hash: string): Promise<Uint8Array>;
}

/** A source of histories. Its mempool holds only what waits at the followed addresses. */
export interface HistoryBackend extends AnyBackend {
  /** Follows these addresses from now on. Others are dropped when following them begins to cost. */
  follow(addresses: readonly string[]): Promise<void>;
  /**
   * The transactions of canonical blocks `from` .. `to` that pay a followed address or spend from
   * it: all that the source shows, each proven to be in its block.
   */
  minedWithin(range: { from: number; to: number }): Promise<readonly ProvenTransaction[]>;
}

/** A transaction that is in the block of `header`, as its `position`-th. */
export interface ProvenTransaction {
  readonly transaction: RawTransaction;
  readonly header: ProvenHeader;
  readonly position: number;
}

/** What a sender reads. */
export interface SpendingBackend {
  tip(): Promise<BlockRef>;
  /** Hashes of the canonical blocks at these heights; null where the chain is shorter. */
  hashesAt(heights: readonly number[]): Promise<readonly (string | null)[]>;
  /**
   * Where a transaction is on the canonical chain: one of a removed block that does not wait again
   * is unknown. Our own nodes without an index find one that was mined a while ago by an unspent
   * output, among its first `outputs`.
   */
  place(txid: string, outputs?: number): Promise<TransactionStatus>;
  /** A mined output that no block spends, whatever waits; null when there is none. */
  unspent(outpoint: Outpoint): Promise<{ readonly height: number; readonly units: bigint } | null>;
  /** Whether a waiting transaction spends the output. */
  spentByWaiting(outpoint: Outpoint): Promise<boolean>;
  /**
   * For each of `owed` the ids of waiting transactions with an output that pays it, whatever they
   * spend. A node with a plan reads a part of the mempool in each call, and throws NodeLagging
   * until it has read what waited at the first call.
   */
  waitingPaying(owed: readonly OwedPayment[]): Promise<readonly (readonly string[])[]>;
  /**
   * A mined transaction that spends one of these outputs; null when none is found. Our own nodes
   * read some blocks in each call, down to the block of the output.
   */
  spender(outpoints: readonly Outpoint[]): Promise<Spender | null>;

  /**
   * Base units per 1,000 virtual bytes that should get a transaction mined within `blocks`; null
   * without an estimate.
   */
  feeRate(blocks: number): Promise<bigint | null>;
  /** The least fee rate that is relayed at present, base units per 1,000 virtual bytes. */
  minimumFeeRate(): Promise<bigint>;
  /**
   * Hands over a signed transaction (hex). `accepted` is returned only after the node was seen to
   * keep it.
   */
  broadcast(raw: string): Promise<BroadcastOutcome>;
}

export interface Spender {
  readonly txid: string;
  readonly block: { readonly height: number; readonly hash: string };
}

/**
 * Ids of waiting transactions: all of them where the source lists them, else those of one address.
 */
export type Mempool =
  | {
      readonly list: () => Promise<readonly string[]>;
      /**
       * Whether each of these transactions costs a call of the source's plan. Absent: none does.
       */
      readonly isMetered?: () => boolean;
    }
  | { readonly ofAddress: (address: string) => Promise<readonly string[]> };

/** Decodes bytes of this source; a NodeError if they are malformed. */
export function decoded<T>(label: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw new NodeError(`${label}: answered malformed bytes: ${error.message}`);
  }
}
