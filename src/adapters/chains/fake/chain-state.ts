/**
 * The blocks and the mempool of a fake chain, in memory: what a miner and its adversaries can do to
 * them. Hashes are deterministic, so the same calls give the same chain.
 */
import { createHash } from 'node:crypto';
import { type Outpoint, outpointText } from '../../../domain/chains/outpoint.ts';
import type { BlockRef, Transfer } from '../../../ports/chains/chain-scanner.ts';
import type { FakeSending } from './fake-sending.ts';

export interface FakeTransaction {
  readonly txid: string;
  /** What it moved. While it waits: what it is to move. */
  readonly transfers: readonly Transfer[];
  /** Blocks until each of `transfers` may be spent, where that is more than its own. */
  readonly maturities?: readonly (number | null)[];
  /** What a wallet signed; payments from outside have none. */
  readonly sending?: FakeSending;
  /** What the block made of a `sending`. */
  readonly receipt?: { readonly feeUnits: bigint; readonly effect: boolean };
  /** On a UTXO chain, of what a wallet signed: the outputs it spends. */
  readonly spends?: readonly Outpoint[];
  /** Beside `spends`: the fee that it offers, in base units, and its size in virtual bytes. */
  readonly offer?: { readonly feeUnits: bigint; readonly size: bigint };
}

export interface FakeBlock extends BlockRef {
  readonly transactions: readonly FakeTransaction[];
  /** Money without a transaction, as balance reconciliation would report it. */
  readonly unexplained: readonly Transfer[];
  /** Addresses whose owner changed in it. */
  readonly reowned: readonly string[];
}

type BlockContent = Pick<FakeBlock, 'transactions' | 'unexplained' | 'reowned'>;

interface MinedFakeTransaction {
  readonly transaction: FakeTransaction;
  readonly block: FakeBlock;
}

type FoundFakeTransaction =
  | MinedFakeTransaction
  | { readonly transaction: FakeTransaction; readonly block: null };

export interface ChainState {
  readonly blocks: readonly FakeBlock[];
  readonly mempool: readonly FakeTransaction[];
  tip(): FakeBlock;
  nextTxid(): string;
  submit(transaction: FakeTransaction): void;
  /** The transaction's block or mempool place, or null when the chain does not know it. */
  find(txid: string): FoundFakeTransaction | null;
  /** The block with the transaction that spends an output; null when none does. */
  spentIn(outpoint: Outpoint): MinedFakeTransaction | null;
  /** Takes a waiting transaction from the mempool, and those that spend its outputs. */
  evict(txid: string): void;
  /** A transaction that was evicted, or cut with its block. Throws for any other. */
  lost(txid: string): FakeTransaction;
  /** Appends one block. What can never be mined after it leaves the mempool. */
  append(content: BlockContent): void;
  /** Removes the last `depth` blocks and answers them, oldest first; the genesis block stays. */
  cut(depth: number): readonly FakeBlock[];
  takeMempool(): readonly FakeTransaction[];
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The hash of the `n`th block that a fake chain makes, from 0. Without reorganisations `n` is its
 * height.
 */
export const fakeBlockHash = (chain: string, n: number): string => hashOf(`block/${chain}/${n}`);

interface FakeChainState {
  readonly chain: string;
  /** The wanted time of the next block, Unix seconds. */
  readonly timeSeconds: () => number;
  transactionsMade: number;
  blocksMade: number;
  mempool: readonly FakeTransaction[];
  readonly blocks: FakeBlock[];
  /** Heights by txid, so that a look-up costs the same in a long chain. */
  readonly heights: Map<string, number>;
  /** What left the chain, by txid. It may be back. */
  readonly left: Map<string, FakeTransaction>;
  /** Ids of the transactions of blocks that spend outputs, by outpoint. */
  readonly spenders: Map<string, string>;
}

/** A chain of one genesis block. A block is never older than its parent. */
export function chainState(options: Pick<FakeChainState, 'chain' | 'timeSeconds'>): ChainState {
  const state: FakeChainState = {
    ...options,
    transactionsMade: 0,
    blocksMade: 0,
    mempool: [],
    blocks: [],
    heights: new Map(),
    left: new Map(),
    spenders: new Map(),
  };
  append(state, { transactions: [], unexplained: [], reowned: [] });
  return {
    blocks: state.blocks,
    get mempool() {
      return state.mempool;
    },
    tip: () => state.blocks.at(-1)!,
    nextTxid: () => hashOf(`transaction/${state.chain}/${state.transactionsMade++}`),
    submit: (transaction) => {
      state.mempool = [...state.mempool, transaction];
    },
    find: (txid) => find(state, txid),
    spentIn: (outpoint) => mined(state, state.spenders.get(outpointText(outpoint)) ?? ''),
    evict: (txid) => evict(state, txid),
    lost: (txid) => lost(state, txid),
    append: (content) => append(state, content),
    cut: (depth) => cut(state, depth),
    takeMempool: () => {
      const taken = state.mempool;
      state.mempool = [];
      return taken;
    },
  };
}

function find(state: FakeChainState, txid: string): FoundFakeTransaction | null {
  const waiting = state.mempool.find((transaction) => transaction.txid === txid);
  return waiting === undefined ? mined(state, txid) : { transaction: waiting, block: null };
}

function mined({ blocks, heights }: FakeChainState, txid: string): MinedFakeTransaction | null {
  const block = blocks[heights.get(txid) ?? -1];
  return block === undefined
    ? null
    : { transaction: block.transactions.find((each) => each.txid === txid)!, block };
}

function evict(state: FakeChainState, txid: string): void {
  const found = find(state, txid);
  if (found?.block === null) state.left.set(txid, found.transaction);
  state.mempool = possible(
    state,
    state.mempool.filter((transaction) => transaction.txid !== txid),
  );
}

function lost(state: FakeChainState, txid: string): FakeTransaction {
  const transaction = state.left.get(txid);
  if (transaction === undefined || find(state, txid) !== null)
    throw new Error(`${state.chain} did not lose ${txid}`);
  return transaction;
}

function append(state: FakeChainState, content: BlockContent): void {
  const { chain, blocks, heights, spenders } = state;
  const parent = blocks.at(-1);
  for (const { txid, spends = [] } of content.transactions) {
    heights.set(txid, blocks.length);
    for (const outpoint of spends) spenders.set(outpointText(outpoint), txid);
  }
  blocks.push({
    height: blocks.length,
    hash: fakeBlockHash(chain, state.blocksMade++),
    parentHash: parent?.hash ?? '0'.repeat(64),
    time: Math.max(parent?.time ?? 0, state.timeSeconds()),
    ...content,
  });
  state.mempool = possible(state, state.mempool);
}

function cut({ blocks, heights, left, spenders }: FakeChainState, depth: number): readonly FakeBlock[] {
  if (!Number.isSafeInteger(depth) || depth < 1 || depth >= blocks.length)
    throw new RangeError(`cannot reorganise ${depth} of ${blocks.length - 1} blocks`);
  const removed = blocks.splice(blocks.length - depth, depth);
  for (const transaction of removed.flatMap(({ transactions }) => transactions)) {
    const { txid, spends = [] } = transaction;
    left.set(txid, transaction);
    heights.delete(txid);
    for (const outpoint of spends) spenders.delete(outpointText(outpoint));
  }
  return removed;
}

/** Without those that spend what a block spends, or what no transaction makes (any more). */
function possible(state: FakeChainState, waiting: readonly FakeTransaction[]): readonly FakeTransaction[] {
  const { heights, spenders } = state;
  const made = new Set(waiting.map(({ txid }) => txid));
  const kept = waiting.filter(({ spends = [] }) =>
    spends.every(
      (outpoint) =>
        !spenders.has(outpointText(outpoint)) && (heights.has(outpoint.txid) || made.has(outpoint.txid)),
    ),
  );
  return kept.length === waiting.length ? kept : possible(state, kept);
}
