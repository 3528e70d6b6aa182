/**
 * What the payout drill asks of the chain that it runs on: a node, money on it, payouts to order,
 * and what arrived in the end.
 */
import type { Database } from '../../../src/adapters/postgres/client/client.ts';
import type { Seeded } from '../runtime/seeded.ts';

export interface DrillChain {
  /** As the asset catalog and the configuration have it. */
  readonly name: string;
  readonly node: DrillNode;
  /** What payouts are ordered in, and the hot wallet has. */
  readonly assets: readonly string[];
  /** What the merchant's balance comes from. */
  readonly invoice: { readonly asset: string; readonly usd: number };
  /**
   * The configuration file of a gateway that asks the node at `rpc`, with so many confirmations.
   */
  configuration(order: { rpc: string; confirmations: number }): object;
  /** Pays the invoice, and puts into the hot wallet more than the drill needs. Into the pool. */
  endow(order: { invoice: { to: string; units: bigint }; hotWallet: string }): Promise<void>;
  /** Payouts of all sizes, each to an address of its own. */
  payouts(count: number, random: Seeded): readonly Owed[];
  /** The next block while the drill runs: it may leave waiting transactions out. */
  nextBlock(): Promise<void>;
  /**
   * How far its time is ahead of the system's, milliseconds: the workers' clocks go with it. Null
   * where its time is the system's.
   */
  aheadMs?(): number;
  /** Blocks, of which the first takes all that waits. */
  mine(count: number): Promise<void>;
  /** What each recipient has, base units, in the order of `owed`. */
  received(owed: readonly Owed[]): Promise<readonly bigint[]>;
  /** Where the chain is otherwise than what the gateway stored of its transactions. */
  differences(database: Database): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** How a node is reached, and how it is handed transactions. */
export interface DrillNode {
  /** With user and password where it has them. */
  readonly url: string;
  /** What the path or the body of a broadcast has in it, and of nothing else. */
  readonly broadcastMethod: string;
  txidOf(raw: string): Promise<string>;
  /**
   * How the node says that it took a broadcast. Default: as JSON-RPC does, with the transaction's
   * id.
   */
  accepting?(body: string): Promise<object>;
}

export interface Owed {
  readonly address: string;
  readonly asset: string;
  readonly units: bigint;
}
