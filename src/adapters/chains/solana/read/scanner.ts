/**
 * The ChainScanner of Solana over JSON-RPC: payments show as soon as their block is confirmed, and
 * are final when it is finalized. Heights are block heights (blocks.ts says why). Several nodes
 * stand in for each other.
 */
import {
  type BlockRange,
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
  type TransactionStatus,
  type UnknownTransaction,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchedSpending, WatchList } from '../../../../ports/chains/watch-list.ts';
import { bestStatus } from '../../shared/nodes/across-nodes.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import { bridged } from '../../shared/nodes/lagging.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { byScanning } from '../../shared/nodes/node-quorum.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { asFarAsRead } from '../../shared/read/as-far-as-read.ts';
import { blockOmissions } from '../../shared/read/omissions.ts';
import { finalSeen, refOf, type SeenHead, scannerOver, tipSeen } from '../../shared/read/scanner-over.ts';
import { type ToldBlocks, toldBlocks } from '../../shared/read/told-blocks.ts';
import { unknownField, withoutSigned } from '../../shared/read/unknown.ts';
import { unscannedOf } from '../../shared/token-book.ts';
import { isSignature } from '../address.ts';
import { wholeNumber, withSlot } from '../answers.ts';
import { connectSolana, type SolanaConnection } from '../connection.ts';
import { readHead, readTip } from '../head.ts';
import type { SolanaNodes } from '../rpc-pool.ts';
import type { ListedToken, SolanaTokens, TokenListing } from '../tokens.ts';
import { headerOfSlot, type SlotBlock } from './blocks.ts';
import { emptyBlocks } from './empty-blocks.ts';
import { type Heights, heightBook } from './heights.ts';
import { movementsIn } from './movements.ts';
import { type BlockSource, type NewestBlocks, newestBlocks, singleBlocks } from './newest.ts';
import { arrivalsIn, paymentsAmong, sentBy } from './transfers.ts';

/**
 * Some twelve seconds of the chain. A block is megabytes, and is dropped as soon as it was gone
 * through.
 */
const MAX_RANGE = 32;
const PARALLEL_BLOCKS = 4;
/**
 * Of so many ranges of so many blocks, one is asked of the other nodes, too: megabytes a block, and
 * a call of the plan.
 */
const AUDITED_SHARE = 10;
const AUDITED_AT_ONCE = 16;

export interface SolanaScannerOptions extends SolanaNodes {
  /** Asset key of the chain's own coin. */
  readonly nativeAsset: string;
  readonly tokens: readonly TokenListing[];
  /**
   * Blocks that make a block final, its own included, if that is to be more than being finalized.
   */
  readonly confirmations?: number;
}

type BlockArrivals = ReturnType<typeof arrivalsIn>;

interface ReadBlock {
  readonly block: SlotBlock;
  readonly arrivals: BlockArrivals;
  /** By our wallet. */
  readonly sent: readonly UnknownTransaction[];
}

/** What the blocks are read with, and what is remembered of them. */
interface SolanaScanContext extends Pick<SolanaScannerOptions, 'chain' | 'network' | 'nativeAsset'> {
  readonly tokens: SolanaTokens;
  readonly heights: Heights;
  /** The blocks that follow on what was read last, and each block by itself. */
  readonly newest: NewestBlocks;
  readonly single: BlockSource;
  readonly told: ToldBlocks;
  readonly doubtEmpty: ReturnType<typeof emptyBlocks>;
  readonly seen: SeenHead;
}

/**
 * A scanner that opens no connection before its first question. Throws for options that can never
 * work.
 */
export function solanaScanner(
  options: SolanaScannerOptions,
  connection: SolanaConnection = connectSolana(options),
): ChainScanner {
  const { chain, confirmations, logger, time } = options;
  const { pool } = connection;
  const heights = heightBook();
  const reading: SolanaScanContext = {
    ...options,
    ...{ tokens: connection.tokens.among(options.tokens), heights, told: toldBlocks() },
    ...{ newest: newestBlocks(heights), single: singleBlocks(heights) },
    ...{ doubtEmpty: emptyBlocks(options), seen: { head: null } },
  };
  const { newest, seen } = reading;
  const late = blockOmissions({
    ...{ chain, pool, logger, told: reading.told },
    scan: (node, range, watch) => scanAlone(reading, node, range, watch),
    ...{ least: AUDITED_AT_ONCE, most: AUDITED_AT_ONCE, share: AUDITED_SHARE },
  });
  return {
    ...scannerOver<RpcNode, SlotBlock>({
      ...{ chain, maxRange: MAX_RANGE, pool, logger, seen, lag: { time }, tookTip: heights.remember },
      async headOf(node, asked) {
        if (asked === undefined) return readHead(node, { confirmations });
        const next = await newest.tip(node);
        return asked.finality
          ? readHead(node, { newest: next, confirmations })
          : { tip: next ?? (await readTip(node)), finalizedHeight: finalSeen(seen) };
      },
      headerAt: heights.at,
      scan: (node, range, watch, lag) => bridged(() => scanNext(reading, node, range, watch), lag),
      witness: {
        hashAt: (node, height) => hashOrNone(heights, node, height),
        finalHeight: async (node) => (await readHead(node, { confirmations })).finalizedHeight,
        // What a transaction did to balances is the node's own word.
        reading: byScanning((node, range, watch) => scanAlone(reading, node, range, watch)),
      },
    }),
    lookup: async (txid) =>
      isSignature(txid) ? bestStatus(pool, (node) => statusOf(reading, node, txid)) : { state: 'unknown' },
    ...(pool.size === 1
      ? {}
      : { late: (upTo, watch, take) => late(Math.min(upTo, finalSeen(seen)), watch, take) }),
    // Nodes have no pool of waiting transactions that could be read: leaders take them within a
    // second.
    pending: async () => [],
    unscannedAssets: () => unscannedOf(pool, reading.tokens),
  };
}

/** A node that does not keep the block any more does not confirm it. */
async function hashOrNone(heights: Heights, node: RpcNode, height: number): Promise<string | null> {
  try {
    return (await heights.at(node, height))?.hash ?? null;
  } catch (error) {
    if (error instanceof NodeLagging) return null;
    throw error;
  }
}

async function statusOf(
  { chain }: SolanaScanContext,
  node: RpcNode,
  txid: string,
): Promise<TransactionStatus> {
  const answer = await node.call('getSignatureStatuses', [txid], { searchTransactionHistory: true });
  const [status] = list(withSlot(answer, 'status').value, 'status');
  if (status == null) return { state: 'unknown' };
  const { slot, confirmationStatus } = fields(status, 'status');
  if (confirmationStatus === 'processed') return { state: 'pending' };
  const block = await headerOfSlot(node, wholeNumber(slot, 'slot'));
  if (block === null) throw new ChainUnavailable(`${chain} was reorganised while ${txid} was looked up`);
  return { state: 'mined', height: block.height, blockHash: block.hash };
}

/** Reads on from what was read last, where the range follows on it. */
async function scanNext(
  reading: SolanaScanContext,
  node: RpcNode,
  range: BlockRange,
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const { newest, told, seen } = reading;
  let read: readonly ReadBlock[];
  try {
    read = await readBlocks(reading, node, range, { source: newest, spending: watch.spending });
  } catch (error) {
    newest.unlist();
    throw error;
  }
  const blocks = await scanned(reading, read, watch);
  told.note(node.label, range, blocks);
  newest.readTo(read.at(-1)!.block, tipSeen(seen));
  return blocks;
}

async function scanAlone(
  reading: SolanaScanContext,
  node: RpcNode,
  range: { from: number; to: number },
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const how = { source: reading.single, spending: undefined };
  return scanned(reading, await readBlocks(reading, node, range, how), watch);
}

/** The blocks of the range, linked, or the first ones where the node fails later. */
async function readBlocks(
  { chain, tokens, newest, ...reading }: SolanaScanContext,
  node: RpcNode,
  { from, to }: { from: number; to: number },
  { source, spending }: { source: BlockSource; spending: WatchedSpending | undefined },
): Promise<readonly ReadBlock[]> {
  const slots = await source.slots(node, { from, to });
  if (slots.length < to - from + 1) throw new NodeLagging(`${node.label}: does not have block ${to}`);
  const listed = await tokens.usable(node);
  const read = await asFarAsRead(slots, PARALLEL_BLOCKS, (slot) =>
    readBlock(reading, node, slot, { source, listed, spending }),
  );
  const linked = read.every(
    ({ block }, position) =>
      block.height === from + position &&
      (position === 0 || block.parentHash === read[position - 1]?.block.hash),
  );
  if (linked) return read;
  newest.forget();
  throw new ChainUnavailable(`${chain} was reorganised while blocks ${from} .. ${to} were read`);
}

async function readBlock(
  { network, nativeAsset, doubtEmpty }: Pick<SolanaScanContext, 'network' | 'nativeAsset' | 'doubtEmpty'>,
  node: RpcNode,
  slot: number,
  on: {
    source: BlockSource;
    listed: ReadonlyMap<string, ListedToken>;
    spending: WatchedSpending | undefined;
  },
): Promise<ReadBlock> {
  const { source, listed, spending } = on;
  const answer = await source.read(node, slot);
  if (answer.kind !== 'block')
    throw new NodeLagging(`${node.label}: does not have the block of slot ${slot}`);
  if (network === 'main' && answer.transactions.length === 0) doubtEmpty(node, answer.block);
  const arrivals: BlockArrivals[number][] = [];
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

async function scanned(
  { nativeAsset, heights }: SolanaScanContext,
  read: readonly ReadBlock[],
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const payments = await paymentsAmong(
    read.map(({ arrivals }) => arrivals),
    watch,
    nativeAsset,
  );
  const unknown = await withoutSigned(
    watch.spending,
    read.map(({ sent }) => sent),
  );
  return read.map(({ block }, position) => {
    heights.remember(block);
    return { ...refOf(block), transfers: payments[position] ?? [], ...unknownField(unknown[position]) };
  });
}
