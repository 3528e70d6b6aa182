/**
 * The blocks and the mempool of a fake chain, in memory: what a miner and its adversaries can do to them. Hashes are
 * deterministic, so that the same calls give the same chain.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { type Outpoint, outpointText } from '../../../domain/chains/outpoint.ts';
import type { BlockRef, Transfer } from '../../../ports/chains/chain-scanner.ts';
import type { FakeSending } from './fake-sending.ts';

export interface FakeTransaction {
  readonly txid: string;
  /** What it moved, or is to move while it waits. */
  readonly transfers: readonly Transfer[];
  /** Blocks until each of `transfers` may be spent, where that is more than its own. */
  readonly maturities?: readonly (number | null)[];
  /** What a wallet signed; payments from outside have none. */
  readonly sending?: FakeSending;
  /** What the block made of a `sending`. */
  readonly receipt?: { readonly feeUnits: bigint; readonly effect: boolean };
  /** On a UTXO chain, of what a wallet signed: the outputs it spends, and what it offers for its size in virtual bytes. */
  readonly spends?: readonly Outpoint[];
  readonly offer?: { readonly feeUnits: bigint; readonly size: bigint };
}

export interface FakeBlock extends BlockRef {
  readonly transactions: readonly FakeTransaction[];
  /** Money without a transaction, as balance reconciliation would report it. */
  readonly unexplained: readonly Transfer[];
  /** Addresses whose owner changed in it. */
  readonly reowned: readonly string[];
}

export interface ChainState {
  readonly blocks: readonly FakeBlock[];
  readonly mempool: readonly FakeTransaction[];
  tip(): FakeBlock;
  nextTxid(): string;
  submit(transaction: FakeTransaction): void;
  /** The transaction's block or mempool place, or null when the chain does not know it. */
  find(txid: string): { transaction: FakeTransaction; block: FakeBlock | null } | null;
  /** The block with the transaction that spends an output; null when none does. */
  spentIn(outpoint: Outpoint): { transaction: FakeTransaction; block: FakeBlock } | null;
  /** Takes a waiting transaction out of the mempool, and those that spend what it would have made. */
  evict(txid: string): void;
  /** A transaction that was evicted, or cut with its block; throws for one that is still there, or never was. */
  lost(txid: string): FakeTransaction;
  /** Appends one block; what waits and can never be mined beside it leaves the mempool. */
  append(content: Pick<FakeBlock, 'transactions' | 'unexplained' | 'reowned'>): void;
  /** Removes the last `depth` blocks and answers them, oldest first; the genesis block stays. */
  cut(depth: number): readonly FakeBlock[];
  takeMempool(): readonly FakeTransaction[];
}

const hashOf = (text: string): string => Buffer.from(sha256(Buffer.from(text))).toString('hex');

/** Of the block that a fake chain makes as its `n`th, from 0: without reorganisations the one at that height. */
export const fakeBlockHash = (chain: string, n: number): string => hashOf(`block/${chain}/${n}`);

/** A chain of one genesis block. `timeSeconds` gives the wanted time of the next block; a block is never older than its parent. */
export function chainState({ chain, timeSeconds }: { chain: string; timeSeconds: () => number }): ChainState {
  let transactionsMade = 0;
  let blocksMade = 0;
  let mempool: readonly FakeTransaction[] = [];
  const blocks: FakeBlock[] = [];
  /** Heights by txid, so that a look-up costs the same in a long chain. */
  const heights = new Map<string, number>();
  /** What left the chain, by txid; it may be back. */
  const left = new Map<string, FakeTransaction>();
  /** Ids of the transactions of blocks that spend outputs, by outpoint. */
  const spenders = new Map<string, string>();

  function append(content: Pick<FakeBlock, 'transactions' | 'unexplained' | 'reowned'>): void {
    const parent = blocks.at(-1);
    for (const { txid, spends = [] } of content.transactions) {
      heights.set(txid, blocks.length);
      for (const outpoint of spends) spenders.set(outpointText(outpoint), txid);
    }
    blocks.push({
      height: blocks.length,
      hash: fakeBlockHash(chain, blocksMade++),
      parentHash: parent?.hash ?? '0'.repeat(64),
      time: Math.max(parent?.time ?? 0, timeSeconds()),
      ...content,
    });
    mempool = possible(mempool);
  }

  /** Without those that spend what a block spends, or what nobody makes (any more). */
  function possible(waiting: readonly FakeTransaction[]): readonly FakeTransaction[] {
    const made = new Set(waiting.map(({ txid }) => txid));
    const left = waiting.filter(({ spends = [] }) =>
      spends.every(
        (outpoint) =>
          !spenders.has(outpointText(outpoint)) && (heights.has(outpoint.txid) || made.has(outpoint.txid)),
      ),
    );
    return left.length === waiting.length ? left : possible(left);
  }

  /** Of a block. */
  function mined(txid: string): { transaction: FakeTransaction; block: FakeBlock } | null {
    const block = blocks[heights.get(txid) ?? -1];
    return block === undefined
      ? null
      : { transaction: block.transactions.find((each) => each.txid === txid)!, block };
  }

  const find: ChainState['find'] = (txid) => {
    const waiting = mempool.find((transaction) => transaction.txid === txid);
    return waiting === undefined ? mined(txid) : { transaction: waiting, block: null };
  };

  append({ transactions: [], unexplained: [], reowned: [] });

  return {
    blocks,
    get mempool() {
      return mempool;
    },
    tip: () => blocks.at(-1)!,
    nextTxid: () => hashOf(`transaction/${chain}/${transactionsMade++}`),
    submit: (transaction) => {
      mempool = [...mempool, transaction];
    },
    find,
    lost: (txid) => {
      const transaction = left.get(txid);
      if (transaction === undefined || find(txid) !== null) throw new Error(`${chain} did not lose ${txid}`);
      return transaction;
    },
    spentIn: (outpoint) => mined(spenders.get(outpointText(outpoint)) ?? ''),
    evict: (txid) => {
      const found = find(txid);
      if (found?.block === null) left.set(txid, found.transaction);
      mempool = possible(mempool.filter((transaction) => transaction.txid !== txid));
    },
    append,
    cut: (depth) => {
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
    },
    takeMempool: () => {
      const taken = mempool;
      mempool = [];
      return taken;
    },
  };
}
