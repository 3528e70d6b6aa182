/**
 * The ChainScanner of an EVM chain over JSON-RPC: native transfers, ERC-20 transfers of listed contracts, internal transfers
 * where the node traces and balance reconciliation where it does not. Several nodes stand in for each other.
 */
import { evmFacts } from '../../../../domain/catalog/chain.ts';
import {
  type BlockRange,
  type BlockRef,
  type ChainHead,
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
  type TransactionStatus,
  type Transfer,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { bestStatus, firstFound } from '../../shared/nodes/across-nodes.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import { systemTime } from '../../shared/nodes/call-log.ts';
import { NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import { agreementAmong, byScanning } from '../../shared/nodes/node-quorum.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { checkBlockRange } from '../../shared/read/block-range.ts';
import { connectEvm, type EvmConnection } from '../connection.ts';
import { hexBytes, type NodeBlock, smallNumber, transaction } from '../decode.ts';
import type { FinalityRule } from '../finality.ts';
import { headReader } from '../head.ts';
import { lagBridged } from '../lagging.ts';
import type { RpcOptions } from '../rpc-pool.ts';
import type { TokenListing } from '../tokens.ts';
import { headerAt } from './block-reader.ts';
import { coinOmissions } from './coin-omissions.ts';
import { joinedBalances } from './joined-balances.ts';
import { logRanges } from './log-ranges.ts';
import { logOmissions } from './omissions.ts';
import { type Held, rangeScanner } from './range-scan.ts';
import { sparseScanner } from './sparse-scan.ts';
import { nativeTransfer } from './transfers.ts';

/** Whole blocks of one answer: 32 of Ethereum are some 10 MB, and those of chains with fast blocks are smaller. */
const WHOLE_MOST = 32;
const WHOLE_FAST_MOST = 64;
/** Where blocks are left out, a range is as long as polls may be apart: a minute on the fastest chain. */
const FAST_RANGE_MOST = 256;
/** Blocks of one question for the logs of final ranges. */
const FINAL_RANGE = 32;
const FINAL_FAST_RANGE = 256;

/** What waits is asked so often while blocks come, and at every poll that finds none. */
const PENDING_MS = 60_000;

export interface EvmScannerOptions extends RpcOptions {
  readonly finality: FinalityRule;
  /** Asset key of the chain's own coin. */
  readonly nativeAsset: string;
  readonly tokens: readonly TokenListing[];
  /** False spares the nodes the work of tracing: balances are reconciled instead. Default true. */
  readonly trace?: boolean;
  /** Whether blocks near the tip are left out in which nothing concerns us. Default: on chains with fast blocks. */
  readonly sparse?: boolean;
}

/** A scanner that opens no connection before its first question. Throws for options that can never work. */
export function evmScanner(
  options: EvmScannerOptions,
  connection: EvmConnection = connectEvm(options),
): ChainScanner {
  const { chain, nativeAsset, finality, logger, time = systemTime } = options;
  const { pool } = connection;
  const tokens = connection.tokens.among(options.tokens);
  const unlisted = new Set(options.tokens.flatMap(({ asset, listed = true }) => (listed ? [] : [asset])));
  const held: Held = (contracts) =>
    [...contracts].flatMap(([contract, asset]) => (unlisted.has(asset) ? [] : [contract]));
  const ranges = rangeScanner({ chain, nativeAsset, tokens, held, trace: options.trace ?? true, logger });
  const isSparse = options.sparse ?? !evmFacts(chain).slowBlocks;
  const [maxRange, wholeMost] = isSparse ? [FAST_RANGE_MOST, WHOLE_FAST_MOST] : [WHOLE_MOST, WHOLE_MOST];
  const logsOver = logRanges();
  const sparse = sparseScanner({ chain, tokens, ranges, logsOver, held });
  const size = isSparse ? FINAL_FAST_RANGE : FINAL_RANGE;
  const coins = pool.size > 1 ? coinOmissions({ chain, nativeAsset, pool, ranges, logger }) : null;
  const final = { ...{ chain, pool, tokens, ranges, logsOver, held, coins, logger }, size };
  const readHead = headReader({ chain, finality, finalityMs: options.timing?.finalityMs, time });
  const { lagMs, pendingMs = PENDING_MS } = options.timing ?? {};
  const lag = { lagMs, time };
  const joined = isSparse ? null : joinedBalances({ chain, pool, ranges, lag, logger });
  const omitted = pool.size > 1 || isSparse ? logOmissions(final, () => lastHead) : undefined;
  /** The highest tip that each node told of. */
  const told = new Map<RpcNode, BlockRef>();
  /** The tip that each node told last, where blocks are read whole: a poll costs a call less then. */
  const newest = new Map<RpcNode, NodeBlock>();
  let highestTip = -1;
  let lastHead: ChainHead | null = null;
  /** The tip at which it was to be asked what waits, and when it was asked. */
  let pendingTip: string | undefined;
  let pendingAt = Number.NEGATIVE_INFINITY;

  async function headOf(node: RpcNode, asked?: { finality: boolean }): Promise<ChainHead> {
    const whole = isSparse ? {} : { whole: (tip: NodeBlock) => newest.set(node, tip) };
    const found = await readHead(node, { ...asked, ...whole });
    if (found.tip.height >= heightTold(node)) told.set(node, found.tip);
    return found;
  }

  const heightTold = (node: RpcNode): number => told.get(node)?.height ?? -1;

  /** The hash of the block at `height`, where the node told of it as its tip, or by asking it. */
  async function tipOf(node: RpcNode, height: number): Promise<string> {
    const own = told.get(node);
    if (own?.height === height) return own.hash;
    const found = await headerAt(node, height);
    if (found === null) throw new NodeLagging(`has no block ${height}`);
    return found.hash;
  }

  /** Blocks are left out where the node shows what they hold otherwise, and read whole where it does not. */
  async function read(node: RpcNode, range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]> {
    const { from, to, after } = range;
    const asked = to <= heightTold(node) ? lagBridged(node, lag) : node;
    if (isSparse && after !== undefined && to > from) {
      const last = { hash: await tipOf(node, to), isTip: to >= highestTip };
      const blocks = await sparse.scan(asked, { from, to, after }, watch, last).catch((error: unknown) => {
        if (error instanceof RpcError) return null;
        throw error;
      });
      if (blocks !== null) return blocks;
    }
    const tip = after === undefined ? undefined : newest.get(node);
    const whole = { from, to: Math.min(to, from + wholeMost - 1) };
    return ranges.scan(asked, whole, watch, {
      ...(tip !== undefined && whole.to === tip.height ? { tip } : {}),
      ...(joined === null || after === undefined ? {} : { later: joined.read }),
    });
  }

  /** A node that lags must not look like a shorter chain: whenever the tip falls back, the other nodes are asked as well. */
  async function head(asked?: { finality: boolean }): Promise<ChainHead> {
    const ofNode = (node: RpcNode) => headOf(node, asked);
    let best = await pool.use(ofNode);
    if (best.tip.height < highestTip && pool.size > 1)
      for (const other of await pool.every(ofNode)) if (other.tip.height > best.tip.height) best = other;
    highestTip = best.tip.height;
    lastHead = best;
    return best;
  }

  async function blockAt(height: number): Promise<BlockRef | null> {
    return firstFound(pool, (node) => headerAt(node, height));
  }

  async function statusOf(node: RpcNode, txid: string): Promise<TransactionStatus> {
    const answer = await node.call('eth_getTransactionByHash', txid);
    if (answer === null) return { state: 'unknown' };
    const { blockHash, blockNumber } = fields(answer, 'transaction');
    if (blockHash == null) return { state: 'pending' };
    const height = smallNumber(blockNumber, 'transaction blockNumber');
    const hash = hexBytes(blockHash, 'transaction blockHash', 32);
    if ((await headerAt(node, height))?.hash !== hash)
      throw new ChainUnavailable(`${chain} was reorganised while ${txid} was looked up`);
    return { state: 'mined', height, blockHash: hash };
  }

  async function lookup(txid: string): Promise<TransactionStatus> {
    const reconciled = txid.startsWith(`balance:${chain}:`)
      ? Number(txid.slice(`balance:${chain}:`.length))
      : null;
    if (reconciled !== null && Number.isSafeInteger(reconciled)) return placeOfHeight(reconciled);
    if (!/^0x[0-9a-f]{64}$/i.test(txid)) return { state: 'unknown' };
    return bestStatus(pool, (node) => statusOf(node, txid));
  }

  /** Money found by balances has no transaction: it stands and falls with its block. */
  async function placeOfHeight(height: number): Promise<TransactionStatus> {
    const block = await blockAt(height);
    return block === null ? { state: 'unknown' } : { state: 'mined', height, blockHash: block.hash };
  }

  /** The native payments of the node's pending block. ERC-20 calls are only intentions until there is a log (E1). */
  async function waiting(node: RpcNode): Promise<readonly Transfer[]> {
    const [pending] = await node.outcomes([{ method: 'eth_getBlockByNumber', params: ['pending', true] }]);
    if ('error' in pending! || pending!.result === null) return [];
    const block = fields(pending!.result, 'pending block');
    // Rollups answer their latest block for `pending`: those transactions are mined and not waiting.
    const isMined = block.number != null && smallNumber(block.number, 'pending number') <= heightTold(node);
    if (isMined) return [];
    return list(block.transactions, 'pending transactions').flatMap(
      (item) => nativeTransfer(transaction(item), nativeAsset) ?? [],
    );
  }

  return {
    chain,
    maxRange,
    head,
    blockAt,
    lookup,
    blocks: async (range, watch) => {
      checkBlockRange(range, maxRange);
      const blocks = await pool.use((node) => read(node, range, watch));
      coins?.told(blocks);
      return blocks;
    },
    pending: async (watch) => {
      // A payment is in a block there before anybody could look.
      if (isSparse || (await watch.expectingNative()).length === 0) return [];
      const isNews = lastHead?.tip.hash !== pendingTip;
      pendingTip = lastHead?.tip.hash;
      if (isNews && time.now() - pendingAt < pendingMs) return null;
      pendingAt = time.now();
      const transfers = await pool.use(waiting);
      const known = await watch.known([...new Set(transfers.map(({ to }) => to))]);
      return transfers.filter(({ to }) => known.has(to));
    },
    confirmWithNodes: agreementAmong(
      { chain, pool, logger },
      {
        hashAt: async (node, height) => (await headerAt(node, height))?.hash,
        finalHeight: async (node) => (await readHead(node)).finalizedHeight,
        reading: byScanning((node, range, watch, claimed) => ranges.scan(node, range, watch, { claimed })),
      },
    ),
    ...(omitted === undefined ? {} : { late: omitted }),
    ...(joined === null
      ? {}
      : {
          complete: (range, watch, take) =>
            joined.complete(range, watch, async (blocks) => {
              coins?.told(blocks);
              await take(blocks);
            }),
        }),
    unscannedAssets: async () => {
      await pool.use(tokens.usable);
      return tokens.faults();
    },
    doubt: () => pool.doubt(),
    close: async () => pool.close(),
  };
}
