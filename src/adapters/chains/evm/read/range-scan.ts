/**
 * One range of blocks on one node, from raw answers to the transfers that pay a watched address.
 */
import { isTraced } from '../../../../domain/deposits/deposit.ts';
import type {
  BlockRange,
  ClaimedTransfer,
  ScannedBlock,
  Transfer,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { unknownField } from '../../shared/read/unknown.ts';
import { normalizeEvmAddress } from '../address.ts';
import { type NodeBlock, type NodeReceipt, refOf } from '../decode.ts';
import type { EvmTokens } from '../tokens.ts';
import { type BalanceReader, balanceReader } from './balances.ts';
import { confirmCanonical, readBlocks } from './block-reader.ts';
import { confirmedAmong, paysOneOf, receiptsWanted, unlistedAmong } from './confirmed-payments.ts';
import { readLogs } from './logs.ts';
import { type ReceiptReader, receiptReader } from './receipts.ts';
import { unexplainedArrivals } from './reconcile.ts';
import { type BlockTraces, blockTraces } from './traces.ts';
import { internalTransfers, nativeTransfer, tokenTransfers } from './transfers.ts';
import { unknownIn } from './unknown.ts';

export interface RangeScanner {
  /** All blocks of the range, linked by parent hash. */
  scan(
    node: RpcNode,
    range: Pick<BlockRange, 'from' | 'to'>,
    watch: WatchList,
    known?: RangeHints,
  ): Promise<readonly ScannedBlock[]>;
  /**
   * Of linked, ascending blocks that were read before (Known.later), those in which something came
   * to `addresses`. RpcError when the node lacks their state.
   */
  arrivals(
    node: RpcNode,
    left: readonly LeftBlock[],
    addresses: readonly string[],
  ): Promise<readonly ScannedBlock[]>;
  /** Whether listed contracts logged transfers in the block, by its header and its receipts. */
  hasTransfers(node: RpcNode, height: number): Promise<boolean>;
  /**
   * What contracts paid in each of the blocks. RpcError where the node does not trace them, at all
   * or this time.
   */
  traced(
    node: RpcNode,
    blocks: readonly NodeBlock[],
    watch: WatchList,
  ): Promise<readonly (readonly Transfer[])[]>;
  /** Whether the node may be asked for traces, now or at a later poll. */
  mayTrace(node: RpcNode): boolean;
}

/**
 * Which of `contracts` (assets by contract) have their logs checked against headers: those whose
 * money is credited.
 */
export type CreditedContracts = (contracts: ReadonlyMap<string, string>) => readonly string[];

/** What is known of a range before it is read. */
interface RangeHints {
  /**
   * The blocks are traced only when some of these came by internal transfers. Only balances that
   * told of some are reconciled. A node that does not trace, or that lost the state of the block,
   * confirms none of those.
   */
  readonly claimed?: readonly ClaimedTransfer[];
  /**
   * The addresses that expect the coin and whose balance changes in the range. Default: all that
   * expect it.
   */
  readonly moved?: readonly string[];
  /** The last block, as the node told it before. */
  readonly tip?: NodeBlock;
  /**
   * Gets the blocks, and who expects the coin. Nothing is traced then, and no balances are
   * compared.
   */
  readonly later?: (read: readonly LeftBlock[], expecting: readonly string[]) => void;
}

/** A block whose balances are to be compared, and the known receipts of it. */
export interface LeftBlock {
  readonly block: NodeBlock;
  readonly receipts: ReadonlyMap<string, NodeReceipt>;
}

interface RangeOptions {
  readonly chain: string;
  readonly nativeAsset: string;
  readonly tokens: EvmTokens;
  readonly held: CreditedContracts;
  readonly trace: boolean;
  readonly logger: Logger;
}

interface RangeScanContext extends RangeOptions {
  readonly traces: BlockTraces;
  readonly endsAt: BalanceReader;
  readonly receiptsAt: ReceiptReader;
}

export function rangeScanner(options: RangeOptions): RangeScanner {
  const { chain, logger, trace } = options;
  const traces = blockTraces({ chain, logger });
  const context: RangeScanContext = {
    ...options,
    traces,
    endsAt: balanceReader(),
    receiptsAt: receiptReader(),
  };
  return {
    scan: (node, range, watch, known = {}) => scan(context, node, range, { ...known, watch }),
    arrivals: (...asked) => arrivals(context, ...asked),
    hasTransfers: (node, height) => hasTransfers(context, node, height),
    traced: (...asked) => traced(context, ...asked),
    mayTrace: (node) => trace && traces.mayTrace(node),
  };
}

async function scan(
  context: RangeScanContext,
  node: RpcNode,
  range: Pick<BlockRange, 'from' | 'to'>,
  { watch, claimed, moved, tip, later }: RangeHints & { readonly watch: WatchList },
): Promise<readonly ScannedBlock[]> {
  const { nativeAsset, receiptsAt } = context;
  const blocks = await readBlocks(node, range, tip);
  const { contracts, logs } = await logsOf(context, node, blocks);
  const hasCalls = claimed?.some(isTraced) ?? moved?.length !== 0;
  const asksTraces = hasCalls && later === undefined && context.trace;
  const calls = asksTraces ? await paidByContracts(context, node, blocks) : null;
  const tokensPaid = logs.map((ofBlock) => tokenTransfers(ofBlock, contracts));
  const candidates = blocks.map((block, position): readonly Transfer[] => [
    ...block.transactions.flatMap((transaction) => nativeTransfer(transaction, nativeAsset) ?? []),
    ...(calls?.[position] ?? []),
    ...tokensPaid[position]!,
  ]);
  const known = await watch.known([...new Set(candidates.flat().map(({ to }) => to))]);
  const untraced = calls === null && claimed === undefined;
  const expecting = untraced ? (moved ?? (await expectingNative(watch))) : [];
  const comparing = later ? [] : [...expecting, ...reconciledAmong(claimed ?? [])];
  const unlisted = blocks.map((block, position) => unlistedAmong(block, tokensPaid[position]!, known));
  const wanted = receiptsWanted(blocks, { unlisted, known, comparing });
  const receipts = await receiptsAt.of(node, wanted);
  const unexplained = await reconciled(context, { node, blocks, addresses: comparing, receipts });
  const { spending } = watch;
  const unknown = await unknownIn(node, blocks, {
    spending,
    nativeAsset,
    tokens: tokensPaid.flat(),
    receipts: receiptsAt,
  });
  // A single block was read whole by its hash.
  if (blocks.length > 1) await confirmCanonical(node, blocks);
  later?.(
    blocks.map((block) => ({ block, receipts })),
    expecting,
  );
  return blocks.map((block, position) => {
    const paid = confirmedAmong(candidates[position]!, block, {
      unlisted: unlisted[position]!,
      known,
      receipts,
    });
    const transfers = [...paid, ...(unexplained.get(block.height) ?? [])];
    return { ...refOf(block), transfers, ...unknownField(unknown[position]) };
  });
}

async function arrivals(
  { chain, nativeAsset, receiptsAt, endsAt }: RangeScanContext,
  node: RpcNode,
  left: readonly LeftBlock[],
  addresses: readonly string[],
): Promise<readonly ScannedBlock[]> {
  const blocks = left.map(({ block }) => block);
  const moving = paysOneOf(new Set(addresses));
  const wanted = left.flatMap(({ block, receipts }) =>
    block.transactions
      .filter((each) => moving(each) && !receipts.has(each.hash))
      .map(({ hash }) => ({ txid: hash, block })),
  );
  const known = left.flatMap(({ receipts }) => [...receipts]);
  const receipts = new Map([...known, ...(await receiptsAt.of(node, wanted))]);
  const asked = { chain, asset: nativeAsset, node, blocks, addresses, receipts, endsAt };
  const arrived = await unexplainedArrivals(asked);
  return blocks.flatMap((block) => {
    const transfers = arrived.get(block.height);
    return transfers === undefined ? [] : [{ ...refOf(block), transfers }];
  });
}

async function hasTransfers(context: RangeScanContext, node: RpcNode, height: number): Promise<boolean> {
  const { logs } = await logsOf(context, node, await readBlocks(node, { from: height, to: height }));
  return logs.some(({ length }) => length > 0);
}

async function traced(
  context: RangeScanContext,
  node: RpcNode,
  blocks: readonly NodeBlock[],
  watch: WatchList,
): Promise<readonly (readonly Transfer[])[]> {
  const paid = context.trace ? await paidByContracts(context, node, blocks) : null;
  if (paid === null) throw new RpcError(0, 'traces none of these blocks at present');
  const known = await watch.known([...new Set(paid.flat().map(({ to }) => to))]);
  return paid.map((ofBlock) => ofBlock.filter(({ to }) => known.has(to)));
}

/**
 * An old block's state may be gone from the node. The range goes on without it then, with a
 * warning.
 */
async function reconciled(
  { chain, nativeAsset, endsAt, logger }: RangeScanContext,
  asked: Omit<Parameters<typeof unexplainedArrivals>[0], 'chain' | 'asset' | 'endsAt'>,
): Promise<ReadonlyMap<number, readonly Transfer[]>> {
  if (asked.addresses.length === 0) return new Map();
  try {
    return await unexplainedArrivals({ chain, asset: nativeAsset, endsAt, ...asked });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const [from, to] = [asked.blocks[0]!.height, asked.blocks.at(-1)!.height];
    const problem = { chain, node: asked.node.label, from, to, problem: error.message };
    logger.warn('chain.balances_unreconciled', problem);
    return new Map();
  }
}

async function logsOf(context: RangeScanContext, node: RpcNode, blocks: readonly NodeBlock[]) {
  const { chain, tokens, held, receiptsAt, logger } = context;
  const contracts = await tokens.usable(node);
  const asked = { blocks, contracts: [...contracts.keys()], held: held(contracts) };
  return { contracts, logs: await readLogs(node, asked, { chain, logger, receipts: receiptsAt }) };
}

/** Null where the node does not trace. */
async function paidByContracts(
  { traces, nativeAsset }: RangeScanContext,
  node: RpcNode,
  blocks: readonly NodeBlock[],
) {
  const frames = await traces.framesOf(node, blocks);
  return (
    frames &&
    blocks.map(({ transactions }, position) =>
      frames[position]!.flatMap((frame, index) =>
        internalTransfers({ txid: transactions[index]!.hash, frame, asset: nativeAsset }),
      ),
    )
  );
}

/** The receivers whom only balances told of. */
const reconciledAmong = (claimed: readonly ClaimedTransfer[]): readonly string[] =>
  claimed.flatMap(({ output, to }) => (output.startsWith('balance:') ? [to] : []));

/** Normalized. */
async function expectingNative(watch: WatchList): Promise<readonly string[]> {
  const addresses = await watch.expectingNative();
  return [...new Set(addresses.flatMap((address) => normalizeEvmAddress(address) ?? []))];
}
