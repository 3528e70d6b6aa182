/**
 * What contracts pay in the coin on a chain whose blocks are all read. Each comparison of balances
 * costs a call for each 5,000 addresses, so one comparison covers several blocks. Only blocks whose
 * payments do not explain the balances are traced.
 */
import {
  type BlockId,
  type ChainScanner,
  ChainUnavailable,
  type ReadRange,
  type ScannedBlock,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import type { Lag } from '../../shared/nodes/lagging.ts';
import { NodeError, RpcError } from '../../shared/nodes/node-errors.ts';
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { refOf } from '../decode.ts';
import { lagBridged } from '../lagging.ts';
import { readBlocks } from './block-reader.ts';
import { followedOf } from './coin-moves.ts';
import type { LeftBlock, RangeScanner } from './range-scan.ts';
import { type SomeLooks, someLooks } from './some-looks.ts';

/**
 * Two minutes on Ethereum. Such a payment is seen so much later, and an invoice stays open so much
 * longer.
 */
const JOINED_BLOCKS = 10;
/** For a chain whose blocks come seldom, such as a development chain. */
const JOINED_SECONDS = 120;

export interface JoinedBalances {
  /**
   * Notes blocks that were read. The balances of `expecting` are compared over them, also where an
   * invoice has ended by then.
   */
  read(blocks: readonly LeftBlock[], expecting: readonly string[]): void;
  /** False while the blocks are few. */
  readonly complete: NonNullable<ChainScanner['complete']>;
}

interface JoinedOptions {
  readonly chain: string;
  readonly pool: NodePool<RpcNode>;
  readonly ranges: RangeScanner;
  readonly lag: Lag;
  readonly logger: Logger;
}

interface JoinedBalancesContext extends JoinedOptions {
  /** By height, what this process read last. */
  readonly seen: Map<number, LeftBlock>;
  /** Who expected the coin when the blocks in `seen` were read. */
  readonly expected: Set<string>;
  /**
   * The range whose money was recorded without its payments. Another process, whose node traces,
   * may find them first; else this one looks once more.
   */
  parked: ReadRange | null;
  readonly looks: SomeLooks;
}

export function joinedBalances(options: JoinedOptions): JoinedBalances {
  const { chain, logger } = options;
  const context: JoinedBalancesContext = {
    ...options,
    seen: new Map(),
    expected: new Set(),
    parked: null,
    looks: someLooks({ chain, logger, event: 'chain.balances_unreconciled' }),
  };
  const { seen, expected } = context;
  return {
    read(blocks, expecting) {
      for (const each of blocks) seen.set(each.block.height, each);
      for (const address of expecting) expected.add(address);
    },
    complete: (range, watch, take) => complete(context, range, watch, take),
  };
}

async function complete(
  context: JoinedBalancesContext,
  range: ReadRange,
  watch: WatchList,
  take: Parameters<JoinedBalances['complete']>[2],
): Promise<boolean> {
  const { seen, expected, parked, looks } = context;
  const { from, last, seconds } = range;
  const to = last.height;
  for (const height of seen.keys()) if (height < from) seen.delete(height);
  const done = parked?.from === from ? parked : { last: { height: from - 1 }, seconds: 0 };
  if (to - done.last.height < JOINED_BLOCKS && seconds - done.seconds < JOINED_SECONDS) return false;
  const found = await looks.at({ from, to }, arrivals(context, range, watch));
  if (found === null) return false;
  if (found.length > 0) await take(found);
  looks.done();
  const isParked = found.some(({ transfers }) => transfers.some(({ kind }) => kind === 'unexplained'));
  if (isParked && parked?.from !== from) {
    context.parked = range;
    return false;
  }
  for (const height of seen.keys()) if (height <= to) seen.delete(height);
  if (seen.size === 0) expected.clear();
  return true;
}

async function arrivals(
  context: JoinedBalancesContext,
  range: ReadRange,
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const { pool, lag, expected } = context;
  const addresses = [...(await watch.known([...new Set([...expected, ...(await followedOf(watch))])]))];
  if (addresses.length === 0) return [];
  const found = await pool.use(async (node) => {
    const asked = lagBridged(node, lag);
    return arrivalsAt(context, asked, await blocksOf(context, asked, range), { watch, addresses });
  });
  const told: ScannedBlock[] = [];
  for (const block of found) told.push(await explained(context, block, watch));
  return told;
}

/**
 * The blocks that were recorded. This process may have read none of them, or blocks of another
 * branch.
 */
async function blocksOf(
  { chain, seen }: JoinedBalancesContext,
  node: RpcNode,
  { from, last }: ReadRange,
): Promise<readonly LeftBlock[]> {
  const blocks: LeftBlock[] = [];
  for (let { height, hash } = last; height >= from; height -= 1) {
    const known = seen.get(height);
    const left = known?.block.hash === hash ? known : await readAgain(chain, node, { height, hash });
    seen.set(height, left);
    blocks.unshift(left);
    hash = left.block.parentHash;
  }
  return blocks;
}

async function readAgain(chain: string, node: RpcNode, { height, hash }: BlockId): Promise<LeftBlock> {
  const [block] = await readBlocks(node, { from: height, to: height });
  if (block?.hash !== hash)
    throw new ChainUnavailable(`${chain} was reorganised after block ${height} was read`);
  return { block, receipts: new Map() };
}

/** By balances, or by traces of all blocks where the node lacks balances of theirs. */
async function arrivalsAt(
  { ranges }: JoinedBalancesContext,
  node: RpcNode,
  left: readonly LeftBlock[],
  { watch, addresses }: { watch: WatchList; addresses: readonly string[] },
): Promise<readonly ScannedBlock[]> {
  try {
    return await ranges.arrivals(node, left, addresses);
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof NodeError) || !ranges.mayTrace(node)) throw error;
  }
  const blocks = left.map(({ block }) => block);
  const paid = await ranges.traced(node, blocks, watch);
  return blocks
    .map((block, position) => ({ ...refOf(block), transfers: paid[position]! }))
    .filter(({ transfers }) => transfers.length > 0);
}

/**
 * The block with the payments that a node traces in place of the money that balances show. A trace
 * may fail once, or at one node, so it is tried at some polls. What no trace shows stays money
 * without a payment: the chain itself pays withdrawals of validators.
 */
async function explained(
  { pool, ranges, lag, seen, looks }: JoinedBalancesContext,
  block: ScannedBlock,
  watch: WatchList,
): Promise<ScannedBlock> {
  if (block.transfers.every(({ kind }) => kind === 'payment')) return block;
  const { block: whole } = seen.get(block.height)!;
  let mayTrace = false;
  const calls = await pool
    .use(async (node) => {
      if (!ranges.mayTrace(node)) throw new RpcError(0, 'has no traces');
      try {
        return (await ranges.traced(lagBridged(node, lag), [whole], watch))[0]!;
      } finally {
        mayTrace ||= ranges.mayTrace(node);
      }
    })
    .catch((error: unknown) => {
      if (!(error instanceof ChainUnavailable) || (mayTrace && !looks.isLast())) throw error;
      return [];
    });
  const paid = new Set(calls.map(({ to }) => to));
  return { ...block, transfers: [...calls, ...block.transfers.filter(({ to }) => !paid.has(to))] };
}
