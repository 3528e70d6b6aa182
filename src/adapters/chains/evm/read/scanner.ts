/**
 * The ChainScanner of an EVM chain over JSON-RPC: native transfers, ERC-20 transfers of listed
 * contracts, internal transfers where the node traces and balance reconciliation where it does not.
 * Several nodes stand in for each other.
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
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { bestStatus, firstFound } from '../../shared/nodes/across-nodes.ts';
import { fields } from '../../shared/nodes/answers.ts';
import { systemTime } from '../../shared/nodes/call-log.ts';
import type { Lag } from '../../shared/nodes/lagging.ts';
import { NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import { byScanning } from '../../shared/nodes/node-quorum.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { type SeenHead, scannerOver, tipSeen } from '../../shared/read/scanner-over.ts';
import { unscannedOf } from '../../shared/token-book.ts';
import { connectEvm, type EvmConnection } from '../connection.ts';
import { hexBytes, type NodeBlock, smallNumber } from '../decode.ts';
import type { FinalityRule } from '../finality.ts';
import { type HeadReader, headReader } from '../head.ts';
import { lagBridged } from '../lagging.ts';
import type { RpcOptions, RpcPool } from '../rpc-pool.ts';
import type { EvmTokens, TokenListing } from '../tokens.ts';
import { headerAt } from './block-reader.ts';
import { type CoinOmissions, coinOmissions } from './coin-omissions.ts';
import { type JoinedBalances, joinedBalances } from './joined-balances.ts';
import { logRanges } from './log-ranges.ts';
import { logOmissions } from './omissions.ts';
import { pendingPayments } from './pending.ts';
import { type CreditedContracts, type RangeScanner, rangeScanner } from './range-scan.ts';
import { type SparseScanner, sparseScanner } from './sparse-scan.ts';

/**
 * Whole blocks of one answer: 32 of Ethereum are some 10 MB, and those of chains with fast blocks
 * are smaller.
 */
const WHOLE_MOST = 32;
const WHOLE_FAST_MOST = 64;
/**
 * Where blocks are left out, a range is as long as polls may be apart: a minute on the fastest
 * chain.
 */
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
  /**
   * Whether blocks near the tip are left out in which nothing concerns us. Default: on chains with
   * fast blocks.
   */
  readonly sparse?: boolean;
}

/** What the blocks are read with, and what is remembered of the nodes. */
interface EvmScanContext {
  readonly pool: RpcPool;
  readonly tokens: EvmTokens;
  readonly ranges: RangeScanner;
  /** Null where every block is read. */
  readonly sparse: SparseScanner | null;
  /** Null where blocks are left out. */
  readonly joined: JoinedBalances | null;
  /** Null where a node stands alone. */
  readonly coins: CoinOmissions | null;
  readonly omitted: NonNullable<ChainScanner['late']> | null;
  readonly readHead: HeadReader;
  readonly lag: Lag;
  readonly seen: SeenHead;
  /** The highest tip that each node told of. */
  readonly told: Map<RpcNode, BlockRef>;
  /**
   * The tip that each node told last, where blocks are read whole: a poll costs a call less then.
   */
  readonly newest: Map<RpcNode, NodeBlock>;
}

/**
 * A scanner that opens no connection before its first question. Throws for options that can never
 * work.
 */
export function evmScanner(
  options: EvmScannerOptions,
  connection: EvmConnection = connectEvm(options),
): ChainScanner {
  const { chain, nativeAsset, logger, timing, time = systemTime } = options;
  const reading = openReading(options, connection);
  const { pool, tokens, ranges, sparse, joined, coins, omitted, readHead, lag, seen } = reading;
  return {
    ...scannerOver<RpcNode, BlockRef>({
      ...{ chain, maxRange: sparse === null ? WHOLE_MOST : FAST_RANGE_MOST, pool, logger, seen, lag },
      headOf: (node, asked) => headOf(reading, node, asked),
      headerAt,
      async scan(node, range, watch) {
        const blocks = await scan(reading, node, range, watch);
        coins?.told(blocks);
        return blocks;
      },
      witness: {
        hashAt: async (node, height) => (await headerAt(node, height))?.hash,
        finalHeight: async (node) => (await readHead(node)).finalizedHeight,
        reading: byScanning((node, range, watch, claimed) => ranges.scan(node, range, watch, { claimed })),
      },
    }),
    lookup: (txid) => lookUp(chain, pool, txid),
    // Where blocks come fast, a payment is in one before anybody could look.
    pending:
      sparse !== null
        ? async () => []
        : pendingPayments({
            ...{ nativeAsset, pool, seen, heightTold: (node) => heightTold(reading, node) },
            ...{ everyMs: timing?.pendingMs ?? PENDING_MS, time },
          }),
    ...(omitted === null ? {} : { late: omitted }),
    ...(joined === null ? {} : { complete: completing(joined, coins) }),
    unscannedAssets: () => unscannedOf(pool, tokens),
  };
}

function openReading(options: EvmScannerOptions, connection: EvmConnection): EvmScanContext {
  const { chain, nativeAsset, finality, logger, timing, time = systemTime } = options;
  const { pool } = connection;
  const tokens = connection.tokens.among(options.tokens);
  const held = heldAmong(options.tokens);
  const ranges = rangeScanner({ chain, nativeAsset, tokens, held, trace: options.trace ?? true, logger });
  const isSparse = options.sparse ?? !evmFacts(chain).slowBlocks;
  const logsOver = logRanges();
  const lag = { lagMs: timing?.lagMs, time };
  const coins = pool.size > 1 ? coinOmissions({ chain, nativeAsset, pool, ranges, logger }) : null;
  const seen: SeenHead = { head: null };
  const final = { chain, pool, tokens, ranges, logsOver, held, coins, logger };
  const size = isSparse ? FINAL_FAST_RANGE : FINAL_RANGE;
  return {
    ...{ pool, tokens, ranges, coins, lag, seen, told: new Map(), newest: new Map() },
    sparse: isSparse ? sparseScanner({ chain, tokens, ranges, logsOver, held }) : null,
    joined: isSparse ? null : joinedBalances({ chain, pool, ranges, lag, logger }),
    omitted: pool.size > 1 || isSparse ? logOmissions({ ...final, size }, () => seen.head) : null,
    readHead: headReader({ chain, finality, finalityMs: timing?.finalityMs, time }),
  };
}

const heightTold = ({ told }: EvmScanContext, node: RpcNode): number => told.get(node)?.height ?? -1;

async function headOf(
  reading: EvmScanContext,
  node: RpcNode,
  asked?: { readonly finality: boolean },
): Promise<ChainHead> {
  const { sparse, newest, told } = reading;
  const whole = sparse === null ? { whole: (tip: NodeBlock) => newest.set(node, tip) } : {};
  const found = await reading.readHead(node, { ...asked, ...whole });
  if (found.tip.height >= heightTold(reading, node)) told.set(node, found.tip);
  return found;
}

/**
 * Blocks are left out where the node shows what they hold otherwise, and read whole where it does
 * not.
 */
async function scan(
  reading: EvmScanContext,
  node: RpcNode,
  { from, to, after }: BlockRange,
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const { ranges, sparse, joined, newest, seen, lag } = reading;
  const asked = to <= heightTold(reading, node) ? lagBridged(node, lag) : node;
  if (sparse !== null && after !== undefined && to > from) {
    const last = { hash: await tipOf(reading, node, to), isTip: to >= tipSeen(seen) };
    const blocks = await sparse.scan(asked, { from, to, after }, watch, last).catch((error: unknown) => {
      if (error instanceof RpcError) return null;
      throw error;
    });
    if (blocks !== null) return blocks;
  }
  const tip = after === undefined ? undefined : newest.get(node);
  const most = sparse === null ? WHOLE_MOST : WHOLE_FAST_MOST;
  const whole = { from, to: Math.min(to, from + most - 1) };
  return ranges.scan(asked, whole, watch, {
    ...(tip !== undefined && whole.to === tip.height ? { tip } : {}),
    ...(joined === null || after === undefined ? {} : { later: joined.read }),
  });
}

/** The hash of the block at `height`, where the node told of it as its tip, or by asking it. */
async function tipOf({ told }: EvmScanContext, node: RpcNode, height: number): Promise<string> {
  const own = told.get(node);
  if (own?.height === height) return own.hash;
  const found = await headerAt(node, height);
  if (found === null) throw new NodeLagging(`has no block ${height}`);
  return found.hash;
}

/** Money found by balances has no transaction: it stands and falls with its block. */
async function lookUp(chain: string, pool: NodePool<RpcNode>, txid: string): Promise<TransactionStatus> {
  const reconciled = txid.startsWith(`balance:${chain}:`)
    ? Number(txid.slice(`balance:${chain}:`.length))
    : null;
  if (reconciled !== null && Number.isSafeInteger(reconciled)) {
    const block = await firstFound(pool, (node) => headerAt(node, reconciled));
    return block === null
      ? { state: 'unknown' }
      : { state: 'mined', height: reconciled, blockHash: block.hash };
  }
  if (!/^0x[0-9a-f]{64}$/i.test(txid)) return { state: 'unknown' };
  return bestStatus(pool, (node) => statusOf(chain, node, txid));
}

async function statusOf(chain: string, node: RpcNode, txid: string): Promise<TransactionStatus> {
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

/** Of the contracts that fit, those whose money is credited. */
function heldAmong(tokens: readonly TokenListing[]): CreditedContracts {
  const unlisted = new Set(tokens.flatMap(({ asset, listed = true }) => (listed ? [] : [asset])));
  return (contracts) =>
    [...contracts].flatMap(([contract, asset]) => (unlisted.has(asset) ? [] : [contract]));
}

const completing =
  (joined: JoinedBalances, coins: CoinOmissions | null): NonNullable<ChainScanner['complete']> =>
  (range, watch, take) =>
    joined.complete(range, watch, async (blocks) => {
      coins?.told(blocks);
      await take(blocks);
    });
