/**
 * What scanner and sender ask one source of a chain's data: a node of our own (rpc/backend.ts), an Esplora server
 * (esplora/backend.ts) or an Electrum server (electrum/backend.ts). Every failure is a NodeError, a NodeLagging or an RpcError
 * (shared/nodes/node-errors.ts).
 */
import type { Outpoint } from '../../../domain/chains/outpoint.ts';
import type { BlockRef, TransactionStatus } from '../../../ports/chains/chain-scanner.ts';
import type { OwedPayment } from '../../../ports/chains/watch-list.ts';
import type { BroadcastOutcome } from '../../../ports/sending/chain-sender.ts';
import { NodeError } from '../shared/nodes/node-errors.ts';
import { MalformedBytes } from './codec/byte-reader.ts';
import type { ProvenHeader } from './codec/header-proof.ts';
import type { RawTransaction } from './codec/transaction.ts';

/** It shows whole blocks, or else the histories of what it is told to follow. */
export type UtxoBackend = BlockBackend | HistoryBackend;

interface AnyBackend extends SpendingBackend {
  readonly label: string;

  /** The canonical block at `height`, or null when the chain is shorter. */
  headerAt(height: number): Promise<BlockRef | null>;
  readonly mempool: Mempool;
  /** Transactions in consensus bytes, waiting ones at least; null for what is not known (any more). */
  rawTransactions(txids: readonly string[]): Promise<readonly (Uint8Array | null)[]>;
}

export interface BlockBackend extends AnyBackend {
  /** A block in consensus bytes, canonical or not. */
  rawBlock(hash: string): Promise<Uint8Array>;
}

/** Its mempool is what waits at the addresses that are followed. */
export interface HistoryBackend extends AnyBackend {
  /** From now on these addresses are followed; others only as long as that costs nothing. */
  follow(addresses: readonly string[]): Promise<void>;
  /** The transactions of canonical blocks `from` .. `to` that pay a followed address or spend from it: all that the source tells, and each proven. */
  minedWithin(range: { from: number; to: number }): Promise<readonly ProvenTransaction[]>;
}

/** A transaction that is in the block of `header`, as its `position`-th. */
export interface ProvenTransaction {
  readonly transaction: RawTransaction;
  readonly header: ProvenHeader;
  readonly position: number;
}

/** What a sender asks. */
export interface SpendingBackend {
  tip(): Promise<BlockRef>;
  /** Hashes of the canonical blocks at these heights; null where the chain is shorter. */
  hashesAt(heights: readonly number[]): Promise<readonly (string | null)[]>;
  /**
   * Where a transaction is, seen from the canonical chain: one of a removed block that does not wait again is unknown. Nodes of
   * one's own without an index find one that was mined a while ago by an output that is unspent, among its first `outputs`.
   */
  place(txid: string, outputs?: number): Promise<TransactionStatus>;
  /** An output of a block that no block spends, whatever waits; null when there is none such. */
  unspent(outpoint: Outpoint): Promise<{ readonly height: number; readonly units: bigint } | null>;
  /** Whether a transaction that waits spends the output. */
  spentByWaiting(outpoint: Outpoint): Promise<boolean>;
  /**
   * For each of `owed` the ids of waiting transactions that pay it by one output, whatever they spend. A node of a plan reads some
   * of all that waits in each call, and throws NodeLagging until it has read what waited at the first.
   */
  waitingPaying(owed: readonly OwedPayment[]): Promise<readonly (readonly string[])[]>;
  /** A transaction of a block that spends one of these outputs; null when none is found. Nodes of one's own read some blocks in each call, down to the one that made the output. */
  spender(outpoints: readonly Outpoint[]): Promise<Spender | null>;

  /** Base units per 1,000 virtual bytes that should get a transaction mined within `blocks`; null when there is no estimate. */
  feeRate(blocks: number): Promise<bigint | null>;
  /** The least that is relayed at present, base units per 1,000 virtual bytes. */
  minimumFeeRate(): Promise<bigint>;
  /** Hands over a signed transaction (hex). `accepted` is told only after it was seen to be kept. */
  broadcast(raw: string): Promise<BroadcastOutcome>;
}

export interface Spender {
  readonly txid: string;
  readonly block: { readonly height: number; readonly hash: string };
}

/** Ids of waiting transactions: of all where the source lists them, else of one address. */
export type Mempool =
  | {
      readonly list: () => Promise<readonly string[]>;
      /** Whether each of these transactions costs a call of the source's plan. Absent: none does. */
      readonly isMetered?: () => boolean;
    }
  | { readonly ofAddress: (address: string) => Promise<readonly string[]> };

/** What `decode` makes of bytes of this source; malformed ones are its fault. */
export function decoded<T>(label: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw new NodeError(`${label}: answered malformed bytes: ${error.message}`);
  }
}
