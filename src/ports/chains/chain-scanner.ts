/**
 * Reads one chain: blocks in, incoming transfers out. The scanner keeps no durable state and never
 * decides about credit. The application keeps the cursor, and handles reorganisations and finality
 * (src/app/watching).
 */
import type { ChainFault } from '../../domain/chains/chain-health.ts';
import type { WatchList } from './watch-list.ts';

export interface ChainScanner {
  /** Chain name of the asset catalog, for example `ethereum`. */
  readonly chain: string;

  /**
   * The best block, and the height up to which blocks are final under the chain's rule
   * (docs/chains/README.md, "Finality defaults"). With `finality: false` the finalized height may
   * be the one of an earlier call. Default true.
   */
  head(asked?: { readonly finality: boolean }): Promise<ChainHead>;

  /** The canonical block at `height`, or null when the chain is shorter. */
  blockAt(height: number): Promise<BlockRef | null>;

  /**
   * The canonical blocks from `from` on, ascending, each with every transfer to an address that
   * `watch` knows. Returns at least one block, and at most all up to `to`. Each block names the one
   * before it by its parent hash. If the range has `after`, blocks without such transfers may be
   * left out, except the last one read (ScannedBlock.follows). Throws ChainUnavailable when a
   * reorganisation changes the range meanwhile: a mixture of two chains is never returned.
   */
  blocks(range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]>;

  /** The largest range `blocks` takes in one call. */
  readonly maxRange: number;

  /**
   * Passes to `take` the transfers that `blocks` may have missed in blocks up to `upTo`. A source
   * that lists payments by address instead of whole blocks may learn of one after its block was
   * read. What was taken is not passed again in the same block; what was recorded before is passed
   * once more. Absent where `blocks` misses nothing.
   */
  late?(
    upTo: number,
    watch: WatchList,
    take: (blocks: readonly ScannedBlock[]) => Promise<void>,
  ): Promise<void>;

  /**
   * Passes to `take` the transfers that `blocks` postponed in `range`, because reading several
   * blocks together is cheaper. Returns whether the range is complete now; false means: call again.
   * No invoice ends meanwhile (ChainCursor.coveredUntil). Absent where `blocks` postpones nothing.
   */
  complete?(
    range: ReadRange,
    watch: WatchList,
    take: (blocks: readonly ScannedBlock[]) => Promise<void>,
  ): Promise<boolean>;

  /**
   * Transfers that are not in a block yet (mempool); [] on chains that do not show them. Null: the
   * node was not called this time, to save calls.
   */
  pending(watch: WatchList): Promise<readonly Transfer[] | null>;

  /**
   * Where the node has the transaction: in a block of the canonical chain, waiting, or nowhere.
   * `seen` is one of its transfers as recorded: TON's nodes find no transaction by its id alone and
   * throw ChainUnavailable without it. Returns `unknown` only when that is certain.
   */
  lookup(txid: string, seen?: SeenTransfer): Promise<TransactionStatus>;

  /**
   * Compares what the configured nodes have as this block, and the transfers in it that are about
   * to become final (safety.md A3). A node that does not answer abstains. With a single node only
   * its hash of the block is compared.
   */
  confirmWithNodes(block: BlockId, claimed: readonly ClaimedTransfer[]): Promise<Agreement>;

  /** Assets that cannot be read, because their contract does not fit the catalog (safety.md E9). */
  unscannedAssets(): Promise<readonly UnscannedAsset[]>;

  /**
   * Makes each node prove again, before its next call, which chain it belongs to (safety.md K3).
   * Called when blocks that were read have disappeared. Absent where a node cannot belong to
   * another chain.
   */
  doubt?(): void;

  close(): Promise<void>;
}

export interface UnscannedAsset {
  readonly asset: string;
  readonly reason: string;
}

/** Heights, both included; at most `maxRange` of them. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
  /**
   * The block at `from - 1`, as it was read. With it, blocks in which nothing concerns `watch` may
   * be left out; without it all are returned.
   */
  readonly after?: BlockId;
}

/** Blocks that were read, from `from` to `last`. */
export interface ReadRange {
  readonly from: number;
  readonly last: BlockId;
  /** Time on the chain between the block before `from` and the last one. */
  readonly seconds: number;
}

export interface BlockId {
  readonly height: number;
  readonly hash: string;
}

export interface BlockRef extends BlockId {
  readonly parentHash: string;
  /** Block time, Unix seconds. */
  readonly time: number;
}

export interface ChainHead {
  readonly tip: BlockRef;
  /** Blocks at or below this height are final; -1 when none is. */
  readonly finalizedHeight: number;
}

export interface ScannedBlock extends BlockRef {
  /**
   * If blocks before this one were left out: the hash, as the node has it, of the block before
   * those (one that was returned, or the one at `from - 1`). Both blocks were canonical at one
   * moment, and nothing between them concerns `watch`. If it differs from `after`, that block has
   * left the chain. Absent: no block was left out.
   */
  readonly follows?: string;
  readonly transfers: readonly Transfer[];
  /**
   * Watched addresses whose owner changed in this block (Tron's permissions). Another key may spend
   * from them now, so nothing is swept from them until an operator has looked (safety.md T5).
   */
  readonly frozen?: readonly string[];
  /** Transactions of the hot wallet that this gateway did not sign; absent where there are none. */
  readonly unknown?: readonly UnknownTransaction[];
}

/** The hash of the block before this one, among those that were returned. */
export const followedBy = ({ follows, parentHash }: ScannedBlock): string => follows ?? parentHash;

/** A transaction of our hot wallet that this gateway did not sign, in a block. */
export interface UnknownTransaction {
  readonly txid: string;
  /** Of the wallet; null on chains without nonces (SendingCapabilities). */
  readonly nonce: bigint | null;
  /** Native base units; null where the block does not show the fee. */
  readonly feeUnits: bigint | null;
  /** As far as they can be read. */
  readonly payments: readonly UnknownPayment[];
  /**
   * UTXO chains: it spends nothing known to be ours, but pays what is owed. It may spend UTXOs that
   * came after a restored backup was made, so the payouts that it pays are held.
   */
  readonly onlyPays?: true;
  /**
   * It paid nobody: it failed, or only used a nonce. Scanners of chains without nonces may leave
   * such transactions out.
   */
  readonly harmless: boolean;
}

export interface UnknownPayment {
  /** Normalized, or the chain's own name of a recipient that is no address of the family. */
  readonly to: string;
  /** Asset key of the catalog. */
  readonly asset: string;
  /** Base units. */
  readonly units: bigint;
  /** UTXO chains: which output. */
  readonly vout?: number;
}

/**
 * One incoming payment. (chain, txid, output) is the key of the credit; it stays the same when a
 * reorganisation moves the transaction to another block.
 */
export interface Transfer {
  readonly txid: string;
  /**
   * Names the output within the transaction, uniquely and independent of the block: `native`,
   * `log:<contract>:<to>:<n>` (n counts that contract's payments to that address), `call:<path>`,
   * `vout:<n>`, `subaddress:<major>/<minor>` (Monero: all outputs to it together),
   * `balance:<address>`.
   */
  readonly output: string;
  /** Asset key of the catalog, for example `usdt_ethereum`. */
  readonly asset: string;
  /** Receiving address in the form of AddressDeriver.normalize. */
  readonly to: string;
  readonly from: string | null;
  /** Base units of the asset, above zero. */
  readonly units: bigint;
  /**
   * `payment` is credited at finality. `unexplained` is money that arrived without a transaction
   * that the node could show (balance reconciliation). It becomes an unmatched deposit, and only an
   * operator can credit it (safety.md E6, X6). Its txid is `balance:<chain>:<height>`, which
   * `lookup` answers by the block at that height, or the transaction's own where the chain names it
   * (XRP).
   */
  readonly kind: 'payment' | 'unexplained';
  /**
   * Height of the first block that may spend it, if the network locks it longer than its own block
   * (a coinbase, a peg-out of Litecoin's HogEx, a Monero output with an unlock height). It is not
   * final before that height (safety.md U4, U6, M2).
   */
  readonly lockedUntil?: number;
  /**
   * It also carries tokens (CashTokens): credited, and never spent as a plain UTXO (safety.md U8).
   */
  readonly encumbered?: true;
}

/**
 * A transfer as it was recorded: all that decides who gets how much, and when. `from` is null if no
 * scanner found the transfer and an operator assigned it (src/app/treasury/assign-funding.ts): then
 * `to` is the operator's choice and not on the chain.
 */
export type ClaimedTransfer = Pick<
  Transfer,
  'txid' | 'output' | 'asset' | 'to' | 'from' | 'units' | 'kind' | 'lockedUntil'
>;

export type Agreement =
  /**
   * Every node that answers has the block as final, and shows each claimed transfer except the
   * `disputed` ones.
   */
  | { readonly kind: 'agreed'; readonly disputed: readonly ClaimedTransfer[] }
  /** Every node has the block; at least one does not call it final yet, or a transfer is locked. */
  | { readonly kind: 'not_final' }
  /** A node has another block or none, or cannot show what is in it; or no node answers. */
  | { readonly kind: 'disputed' };
export type SeenTransfer = Pick<Transfer, 'asset' | 'to' | 'output'>;

export type TransactionStatus =
  | { readonly state: 'mined'; readonly height: number; readonly blockHash: string }
  | { readonly state: 'pending' }
  | { readonly state: 'unknown' };

/**
 * A node did not answer, or its answer is unusable. Nothing is lost; callers catch it and retry.
 */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';

  readonly fault: ChainFault;

  constructor(message: string, fault: ChainFault = 'unreachable') {
    super(message);
    this.fault = fault;
  }
}
