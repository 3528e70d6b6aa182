/**
 * The ChainScanner of Solana over JSON-RPC: payments show as soon as their block is confirmed, and are final when it is finalized.
 * Heights are block heights (blocks.ts says why). Several nodes stand in for each other.
 */
import {
  type BlockRef,
  type ChainHead,
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
  type TransactionPlace,
  type UnknownTransaction,
  type WatchedSpending,
  type WatchList,
} from '../../../ports/chain-scanner.ts';
import { foundByAny, placeAtAny } from '../shared/across-nodes.ts';
import { agreementAmong, byScanning } from '../shared/agreement.ts';
import { fields, list } from '../shared/answers.ts';
import { checkBlockRange } from '../shared/block-range.ts';
import { NodeBehind } from '../shared/faults.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { unknownField, withoutSigned } from '../shared/unknown.ts';
import { isSignature } from './address.ts';
import { wholeNumber, withSlot } from './answers.ts';
import { CONFIRMED, headerOfSlot, readSlot, refOf, type SlotBlock } from './blocks.ts';
import { readHead } from './head.ts';
import { heightBook } from './heights.ts';
import { movementsIn } from './movements.ts';
import { type SolanaNodes, type SolanaPool, solanaPool } from './rpc-pool.ts';
import { type ListedToken, type TokenListing, tokenBook } from './tokens.ts';
import { arrivalsIn, paymentsAmong, sentBy } from './transfers.ts';

/** Some six seconds of the chain. A block is megabytes, and is dropped as soon as it was gone through. */
const MAX_RANGE = 16;
const PARALLEL_BLOCKS = 4;

export interface SolanaScannerOptions extends SolanaNodes {
  /** Asset key of the chain's own coin. */
  readonly nativeAsset: string;
  readonly tokens: readonly TokenListing[];
}

type Arrivals = ReturnType<typeof arrivalsIn>;

interface ReadBlock {
  readonly block: SlotBlock;
  readonly arrivals: Arrivals;
  /** By our wallet. */
  readonly sent: readonly UnknownTransaction[];
}

/** A scanner that opens no connection before its first question. Throws for options that can never work. */
export function solanaScanner(
  options: SolanaScannerOptions,
  pool: SolanaPool = solanaPool(options),
): ChainScanner {
  const { chain, nativeAsset, logger } = options;
  const tokens = tokenBook({ chain, tokens: options.tokens, pool, logger });
  const heights = heightBook();
  let highestTip = -1;

  /** A node that lags must not look like a shorter chain: whenever the tip falls back, the other nodes are asked as well. */
  async function head(): Promise<ChainHead> {
    let best = await pool.use(readHead);
    if (best.tip.height < highestTip && pool.size > 1)
      for (const other of await pool.every(readHead)) if (other.tip.height > best.tip.height) best = other;
    highestTip = best.tip.height;
    heights.remember(best.tip);
    return { tip: refOf(best.tip), finalizedHeight: best.finalizedHeight };
  }

  async function refAt(node: RpcNode, height: number): Promise<BlockRef | null> {
    const block = await heights.at(node, height);
    return block === null ? null : refOf(block);
  }

  async function blockAt(height: number): Promise<BlockRef | null> {
    return foundByAny(pool, (node) => refAt(node, height));
  }

  /** A node that does not keep the block any more does not confirm it. */
  async function hashOrNone(node: RpcNode, height: number): Promise<string | null> {
    try {
      return (await heights.at(node, height))?.hash ?? null;
    } catch (error) {
      if (error instanceof NodeBehind) return null;
      throw error;
    }
  }

  async function scan(
    node: RpcNode,
    { from, to }: { from: number; to: number },
    watch: WatchList,
  ): Promise<readonly ScannedBlock[]> {
    const slots = await heights.slots(node, { from, to });
    if (slots.length < to - from + 1) throw new NodeBehind(`${node.label}: does not have block ${to}`);
    const listed = await tokens.usable(node);
    const { spending } = watch;
    const read: ReadBlock[] = [];
    for (let start = 0; start < slots.length; start += PARALLEL_BLOCKS) {
      const group = slots.slice(start, start + PARALLEL_BLOCKS);
      read.push(...(await Promise.all(group.map((slot) => readBlock(node, slot, { listed, spending })))));
    }
    const linked = read.every(
      ({ block }, position) =>
        block.height === from + position &&
        (position === 0 || block.parentHash === read[position - 1]?.block.hash),
    );
    if (!linked)
      throw new ChainUnavailable(`${chain} was reorganised while blocks ${from} .. ${to} were read`);
    const payments = await paymentsAmong(
      read.map(({ arrivals }) => arrivals),
      watch,
      nativeAsset,
    );
    const unknown = await withoutSigned(
      spending,
      read.map(({ sent }) => sent),
    );
    return read.map(({ block }, position) => {
      heights.remember(block);
      return { ...refOf(block), transfers: payments[position] ?? [], ...unknownField(unknown[position]) };
    });
  }

  async function readBlock(
    node: RpcNode,
    slot: number,
    { listed, spending }: { listed: ReadonlyMap<string, ListedToken>; spending: WatchedSpending | undefined },
  ): Promise<ReadBlock> {
    const answer = await readSlot(node, slot, 'full');
    if (answer.kind !== 'block')
      throw new NodeBehind(`${node.label}: does not have the block of slot ${slot}`);
    const arrivals: Arrivals[number][] = [];
    const sent: UnknownTransaction[] = [];
    for (const item of answer.transactions) {
      const movements = movementsIn(item);
      const arrived = arrivalsIn(movements, listed);
      arrivals.push(...arrived);
      const own = spending && sentBy(spending.wallet, movements, arrived, nativeAsset);
      if (own) sent.push(own);
    }
    return { block: answer.block, arrivals, sent };
  }

  async function placeOf(node: RpcNode, txid: string): Promise<TransactionPlace> {
    const answer = await node.call('getSignatureStatuses', [txid], { searchTransactionHistory: true });
    const [status] = list(withSlot(answer, 'status').value, 'status');
    if (status == null) return { state: 'unknown' };
    const { slot, confirmationStatus } = fields(status, 'status');
    if (confirmationStatus === 'processed') return { state: 'pending' };
    const block = await headerOfSlot(node, wholeNumber(slot, 'slot'));
    if (block === null) throw new ChainUnavailable(`${chain} was reorganised while ${txid} was looked up`);
    return { state: 'mined', height: block.height, blockHash: block.hash };
  }

  async function lookup(txid: string): Promise<TransactionPlace> {
    if (!isSignature(txid)) return { state: 'unknown' };
    return placeAtAny(pool, (node) => placeOf(node, txid));
  }

  return {
    chain,
    maxRange: MAX_RANGE,
    head,
    blockAt,
    lookup,
    blocks: async (range, watch) => {
      checkBlockRange(range, MAX_RANGE);
      return pool.use((node) => scan(node, range, watch));
    },
    // Nodes have no pool of waiting transactions that could be read: leaders take them within a second.
    pending: async () => {
      await pool.use((node) => node.call('getSlot', CONFIRMED));
      return [];
    },
    agreeOn: agreementAmong(
      { chain, pool, logger },
      {
        hashAt: hashOrNone,
        finalHeight: async (node) => (await readHead(node)).finalizedHeight,
        // What a transaction did to balances is the node's own word.
        reading: byScanning(scan),
      },
    ),
    unscannedAssets: async () => {
      await pool.use(tokens.usable);
      return tokens.faults();
    },
    doubt: () => pool.doubt(),
    close: async () => pool.close(),
  };
}
