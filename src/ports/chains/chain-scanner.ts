/**
 * Reads one chain: blocks in, incoming transfers out. The scanner keeps no durable state and never decides about
 * credit: cursor, reorganisation and finality bookkeeping are the application's (app/record-blocks).
 */
import type { ChainFault } from '../../domain/chains/chain-health.ts';

export interface ChainScanner {
  /** Chain name of the asset catalog, for example `ethereum`. */
  readonly chain: string;

  /**
   * The best block and the highest height whose blocks are final under the chain's rule (docs/chains/README.md, "Finality defaults"). Where nothing
   * waits for that (`finality: false`), it may be the height that was told before. Default true.
   */
  head(asked?: { readonly finality: boolean }): Promise<ChainHead>;

  /** The canonical block at `height`, or null when the chain is shorter. */
  blockAt(height: number): Promise<BlockRef | null>;

  /**
   * The canonical blocks from `from` on, ascending, each with every transfer to an address that `watch` knows: all up to `to`, or as
   * many as could be read, but one at least. Each is linked to the one before it by its parent hash; where the range says what it
   * comes `after`, blocks may be left out, but for the last one that was read (ScannedBlock.follows). A range that a reorganisation
   * moves under the scanner's feet fails with ChainUnavailable rather than answering a mixture.
   */
  blocks(range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]>;

  /** The largest range `blocks` takes in one call. */
  readonly maxRange: number;

  /**
   * Hands `take` what `blocks` may have left out of blocks up to `upTo`, where a source shows payments by address instead of whole
   * blocks: they may come to be known only after their block was read. What was taken is not told again in the same block; what
   * was recorded before is told once more. Absent where `blocks` leaves nothing out.
   */
  late?(
    upTo: number,
    watch: WatchList,
    take: (blocks: readonly ScannedBlock[]) => Promise<void>,
  ): Promise<void>;

  /**
   * Hands `take` what `blocks` left for later in the blocks of `range`, which were read: it is cheaper for some of them together. Answers
   * whether nothing of them is left; false: not yet, ask again. No invoice ends meanwhile (ChainCursor.coveredUntil). Absent where
   * `blocks` leaves nothing for later.
   */
  complete?(
    range: ReadRange,
    watch: WatchList,
    take: (blocks: readonly ScannedBlock[]) => Promise<void>,
  ): Promise<boolean>;

  /** Transfers not in any block yet (mempool), for chains that show them; others answer []. Null: not asked this time, to spare calls. */
  pending(watch: WatchList): Promise<readonly Transfer[] | null>;

  /**
   * Whether the transaction is known to the node: in a block of the canonical chain, waiting to be mined, or neither. `seen`: one
   * of its transfers as it was recorded, without which a chain whose nodes find none by its id alone (TON) cannot tell
   * (ChainUnavailable). `unknown` is told only when that is certain.
   */
  lookup(txid: string, seen?: SeenTransfer): Promise<TransactionStatus>;

  /**
   * What the configured nodes say of this very block and of transfers in it that are to become final (safety.md A3). Each node
   * that answers is asked; one that cannot be reached abstains. With a single node only its hash of the block is compared.
   */
  confirmWithNodes(block: BlockId, claimed: readonly ClaimedTransfer[]): Promise<Agreement>;

  /** Assets that were to be read and cannot be, because their contract does not fit the catalog (safety.md E9). */
  unscannedAssets(): Promise<readonly UnscannedAsset[]>;

  /**
   * Before the next call each node shows again which chain it is of (safety.md K3): called when blocks that were read are not there any
   * more. Absent where nodes cannot be of another chain.
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
   * The block at `from - 1`, as it was read. Where it is given, blocks in which nothing concerns `watch` may be left out. Without
   * it all are answered.
   */
  readonly after?: BlockId;
}

/** Blocks that were read, `from` up to `last`. */
export interface ReadRange {
  readonly from: number;
  readonly last: BlockId;
  /** By the chain, between the block before and the last one. */
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
   * Where blocks before this one were left out: the hash of the block before those, answered or the one at `from - 1`. Both were seen to
   * be canonical at one moment, and what lies between them holds nothing that `watch` is told of. It is told as the node has it:
   * when it is not `after`, that block has left the chain. Absent: no block was left out.
   */
  readonly follows?: string;
  readonly transfers: readonly Transfer[];
  /**
   * Addresses that `watch` knows whose owner changed in this block (Tron's permissions): somebody else's key may spend from
   * them now, so nothing is to be swept from them before an operator has looked (safety.md T5).
   */
  readonly frozen?: readonly string[];
  /** What left the wallet that `watch` names without this gateway; absent where there is none. */
  readonly unknown?: readonly UnknownTransaction[];
}

/** The hash of the block on which this one follows, whether some were left out between them or not. */
export const followedBy = ({ follows, parentHash }: ScannedBlock): string => follows ?? parentHash;

/** A transaction of our hot wallet that this gateway did not sign, in a block. */
export interface UnknownTransaction {
  readonly txid: string;
  /** Of the wallet; null where the chain does not count (ChainSender, SendingCapabilities). */
  readonly nonce: bigint | null;
  /** Native base units; null where the block does not tell. */
  readonly feeUnits: bigint | null;
  /** As far as they can be read. */
  readonly payments: readonly UnknownPayment[];
  /**
   * UTXO chains: it spends nothing that is known to be ours, but pays what is owed. It is ours if it spends coins that came after an older
   * backup was made; so only what it pays is held.
   */
  readonly onlyPays?: true;
  /** It paid nobody: it failed, or only used a nonce up. Where the chain does not count, such ones need not be told at all. */
  readonly harmless: boolean;
}

export interface UnknownPayment {
  /** Normalized, or as the chain names the recipient where that is not an address of the family. */
  readonly to: string;
  /** Asset key of the catalog. */
  readonly asset: string;
  /** Base units. */
  readonly units: bigint;
  /** UTXO chains: which output. */
  readonly vout?: number;
}

/** One incoming payment. (chain, txid, output) is the credit key and stays the same when a reorganisation moves the transaction. */
export interface Transfer {
  readonly txid: string;
  /**
   * Names the output within the transaction, independent of the block, and is unique in it: `native`,
   * `log:<contract>:<to>:<n>` (n counts that contract's payments to that address), `call:<path>`, `vout:<n>`,
   * `subaddress:<major>/<minor>` (Monero: all outputs to it together), `balance:<address>`.
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
   * `payment` is credited at finality. `unexplained` is money that arrived without a transaction the node could show
   * (balance reconciliation): it is parked as a stray deposit, never credited by itself (safety.md E6, X6). Its txid
   * is `balance:<chain>:<height>`, which `lookup` answers by the block at that height; or the transaction's own, where the chain
   * tells which one changed the balance (XRP).
   */
  readonly kind: 'payment' | 'unexplained';
  /**
   * Height of the first block that may spend it, where the network locks it past its own block (a coinbase, a peg-out of
   * Litecoin's HogEx, a Monero output with an unlock height): it is final no sooner (safety.md U4, U6, M2).
   */
  readonly lockedUntil?: number;
  /** Carries something besides the coin (CashTokens): credited, and never spent as a plain coin (safety.md U8). */
  readonly encumbered?: true;
}

/**
 * A transfer as it was recorded: all that decides who gets how much, and when. `from` is null where no scanner told the transfer,
 * but an operator said whose it is (app/assign-parked): then `to` is not the chain's word.
 */
export type ClaimedTransfer = Pick<
  Transfer,
  'txid' | 'output' | 'asset' | 'to' | 'from' | 'units' | 'kind' | 'lockedUntil'
>;

export type Agreement =
  /** Every node has the block and calls it final; each shows every claimed transfer in it but the `disputed` ones. */
  | { readonly kind: 'agreed'; readonly disputed: readonly ClaimedTransfer[] }
  /** Every node has the block, and not every one calls it final yet (or what is locked past it spendable). */
  | { readonly kind: 'not_final' }
  /** A node has another block there or none, or cannot show what is in it; or no node answers. */
  | { readonly kind: 'disputed' };
export type SeenTransfer = Pick<Transfer, 'asset' | 'to' | 'output'>;

export type TransactionStatus =
  | { readonly state: 'mined'; readonly height: number; readonly blockHash: string }
  | { readonly state: 'pending' }
  | { readonly state: 'unknown' };

/** What the application watches. All calls answer from the database at the moment of the call. */
export interface WatchList {
  /** Of `addresses` (normalized), those that were ever issued. */
  known(addresses: readonly string[]): Promise<ReadonlySet<string>>;
  /** Addresses that expect this chain's native coin at present: for balance reconciliation where a node does not trace. */
  expectingNative(): Promise<readonly string[]>;
  /**
   * Addresses whose payments matter at present, for sources that have to be told: those that expect the coin, those given out last,
   * permanent ones that were deactivated last, those that hold UTXOs of ours, our hot wallet, and whom we owe a payout: a restored
   * database does not know that it was paid. A payment to one that was given out long ago is not among them.
   */
  following(): Promise<readonly string[]>;
  /** Of these payments those that are recorded in a block, by `outputKey`: a source that tells late need not tell them again. */
  recorded(payments: readonly Pick<Transfer, 'txid' | 'output'>[]): Promise<ReadonlySet<string>>;
  /** The derivation index below which every address lies that any instance can have given out: for wallets that must be told. */
  reservedIndexes(): Promise<number>;
  /** Our hot wallet, whose transactions are told that this gateway did not sign; absent where nothing is sent. */
  readonly spending?: WatchedSpending;
}

export interface WatchedSpending {
  /** Normalized. */
  readonly wallet: string;
  /** Of these transactions those that this gateway signed. */
  signed(txids: readonly string[]): Promise<ReadonlySet<string>>;
  /** UTXO chains: of these outputs, `txid:vout`, those that our keys can spend, or could. */
  ours(outpoints: readonly string[]): Promise<ReadonlySet<string>>;
  /** UTXO chains: of these addresses those that take change of ours, each with its index (ChangeAddresses). */
  change(addresses: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Transactions of this gateway that may have left other addresses of ours than the wallet in blocks from `height` on: mined or not. */
  sent(height: number): Promise<readonly SentTransaction[]>;
  /** What payouts of the chain that are pending are to pay. */
  owed(): Promise<readonly OwedPayment[]>;
}

export interface SentTransaction {
  readonly txid: string;
  /** Normalized. */
  readonly from: string;
  /** Base units of the chain's own coin that it pays, without its fee. Zero where it pays a token. */
  readonly units: bigint;
}

export interface OwedPayment {
  /** Normalized. */
  readonly to: string;
  /** Base units, which one output pays. */
  readonly units: bigint;
}

/** A node could not answer, or answered something unusable: try again later, nothing is lost. Expected, so callers catch it. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';

  readonly fault: ChainFault;

  constructor(message: string, fault: ChainFault = 'unreachable') {
    super(message);
    this.fault = fault;
  }
}
