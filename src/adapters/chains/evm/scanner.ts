/**
 * The ChainScanner of an EVM chain over JSON-RPC: native transfers, ERC-20 transfers of listed contracts, internal transfers
 * where the node traces and balance reconciliation where it does not. Several nodes stand in for each other.
 */
import {
  type BlockRef,
  type ChainHead,
  type ChainScanner,
  ChainUnavailable,
  type TransactionPlace,
  type Transfer,
} from '../../../ports/chain-scanner.ts';
import { foundByAny, placeAtAny } from '../shared/across-nodes.ts';
import { agreementAmong, byScanning } from '../shared/agreement.ts';
import { fields, list } from '../shared/answers.ts';
import { checkBlockRange } from '../shared/block-range.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { hasteNow } from '../shared/urgency.ts';
import { headerAt } from './block-reader.ts';
import { hexBytes, smallNumber, transaction } from './decode.ts';
import type { FinalityRule } from './finality.ts';
import { headReader } from './head.ts';
import { LAG_MS, lagBridged } from './lagging.ts';
import { omissionReader } from './omissions.ts';
import { rangeScanner } from './range-scan.ts';
import { type RpcOptions, type RpcPool, rpcPool } from './rpc-pool.ts';
import { type TokenListing, tokenBook } from './tokens.ts';
import { nativeTransfer } from './transfers.ts';

/** A range costs two batches; 32 full blocks are some 10 MB. */
const MAX_RANGE = 32;

export interface EvmScannerOptions extends RpcOptions {
  readonly finality: FinalityRule;
  /** Asset key of the chain's own coin. */
  readonly nativeAsset: string;
  readonly tokens: readonly TokenListing[];
  /** False spares the nodes the work of tracing: balances are reconciled instead. Default true. */
  readonly trace?: boolean;
}

/** A scanner that opens no connection before its first question. Throws for options that can never work. */
export function evmScanner(options: EvmScannerOptions, pool: RpcPool = rpcPool(options)): ChainScanner {
  const { chain, nativeAsset, finality, logger } = options;
  const tokens = tokenBook({ chain, tokens: options.tokens, pool, logger });
  const ranges = rangeScanner({ chain, nativeAsset, tokens, trace: options.trace ?? true, logger });
  const readHead = headReader({ chain, finality });
  const lagMs = options.timing?.lagMs ?? LAG_MS;
  /** The highest tip that each node told of. */
  const told = new Map<RpcNode, number>();
  let highestTip = -1;
  let lastHead: ChainHead | null = null;

  async function headOf(node: RpcNode): Promise<ChainHead> {
    const found = await readHead(node);
    told.set(node, Math.max(told.get(node) ?? -1, found.tip.height));
    return found;
  }

  /** A node that lags must not look like a shorter chain: whenever the tip falls back, the other nodes are asked as well. */
  async function head(): Promise<ChainHead> {
    let best = await pool.use(headOf);
    if (best.tip.height < highestTip && pool.size > 1)
      for (const other of await pool.every(headOf)) if (other.tip.height > best.tip.height) best = other;
    highestTip = best.tip.height;
    lastHead = best;
    return best;
  }

  async function blockAt(height: number): Promise<BlockRef | null> {
    return foundByAny(pool, (node) => headerAt(node, height));
  }

  async function placeOf(node: RpcNode, txid: string): Promise<TransactionPlace> {
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

  async function lookup(txid: string): Promise<TransactionPlace> {
    const reconciled = txid.startsWith(`balance:${chain}:`)
      ? Number(txid.slice(`balance:${chain}:`.length))
      : null;
    if (reconciled !== null && Number.isSafeInteger(reconciled)) return placeOfHeight(reconciled);
    if (!/^0x[0-9a-f]{64}$/i.test(txid)) return { state: 'unknown' };
    return placeAtAny(pool, (node) => placeOf(node, txid));
  }

  /** Money found by balances has no transaction: it stands and falls with its block. */
  async function placeOfHeight(height: number): Promise<TransactionPlace> {
    const block = await blockAt(height);
    return block === null ? { state: 'unknown' } : { state: 'mined', height, blockHash: block.hash };
  }

  /** The native payments of the node's pending block. ERC-20 calls are only intentions until there is a log (E1). */
  async function waiting(node: RpcNode): Promise<readonly Transfer[]> {
    const [pending] = await node.outcomes([{ method: 'eth_getBlockByNumber', params: ['pending', true] }]);
    if ('error' in pending! || pending!.result === null) return [];
    const block = fields(pending!.result, 'pending block');
    // Rollups answer their latest block for `pending`: those transactions are mined and not waiting.
    const isMined =
      block.number != null && smallNumber(block.number, 'pending number') <= (told.get(node) ?? -1);
    if (isMined) return [];
    return list(block.transactions, 'pending transactions').flatMap(
      (item) => nativeTransfer(transaction(item), nativeAsset) ?? [],
    );
  }

  return {
    chain,
    maxRange: MAX_RANGE,
    head,
    blockAt,
    lookup,
    blocks: async (range, watch) => {
      checkBlockRange(range, MAX_RANGE);
      return pool.use((node) => {
        // Another node may have it already.
        const isWaitedFor = range.to <= (told.get(node) ?? -1) && !hasteNow().hasChoice;
        return ranges.scan(isWaitedFor ? lagBridged(node, lagMs) : node, range, watch);
      });
    },
    pending: async (watch) => {
      if ((await watch.expectingNative()).length === 0) return [];
      const transfers = await pool.use(waiting);
      const known = await watch.known([...new Set(transfers.map(({ to }) => to))]);
      return transfers.filter(({ to }) => known.has(to));
    },
    agreeOn: agreementAmong(
      { chain, pool, logger },
      {
        hashAt: async (node, height) => (await headerAt(node, height))?.hash,
        finalHeight: async (node) => (await readHead(node)).finalizedHeight,
        reading: byScanning((node, range, watch, claimed) => ranges.scan(node, range, watch, claimed)),
      },
    ),
    ...(pool.size > 1
      ? { late: omissionReader({ chain, pool, tokens, logger, size: MAX_RANGE }, () => lastHead) }
      : {}),
    unscannedAssets: async () => {
      await pool.use(tokens.usable);
      return tokens.faults();
    },
    doubt: () => pool.doubt(),
    close: async () => pool.close(),
  };
}
