/**
 * What contracts pay in the coin on a chain whose blocks are all read: balances are compared over some blocks together, as each comparison
 * costs a call for each 5,000 addresses, and only blocks are traced in which something came that they do not explain.
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
import { someLooks } from './some-looks.ts';

/** Two minutes on Ethereum: so much later such a payment is seen, and so much longer an invoice stays open. */
const JOINED_BLOCKS = 10;
/** Where blocks come seldom, as on a development chain. */
const JOINED_SECONDS = 120;

export interface JoinedBalances {
  /** Notes blocks that were read, to be compared for `expecting` too, whatever becomes of them. */
  read(blocks: readonly LeftBlock[], expecting: readonly string[]): void;
  /** As soon as the blocks are not few. */
  readonly complete: NonNullable<ChainScanner['complete']>;
}

export function joinedBalances(options: {
  chain: string;
  pool: NodePool<RpcNode>;
  ranges: RangeScanner;
  lag: Lag;
  logger: Logger;
}): JoinedBalances {
  const { chain, pool, ranges, lag, logger } = options;
  /** By height, what this process read last. */
  const seen = new Map<number, LeftBlock>();
  /** Who expected the coin when the blocks in `seen` were read: an invoice may end meanwhile. */
  const expected = new Set<string>();
  /** Where money was parked. A process whose node traces may find its payments first, and else this one looks once more later. */
  let parked: ReadRange | null = null;
  const looks = someLooks({ chain, logger, event: 'chain.balances_unreconciled' });

  /** The blocks that were recorded. Another process may have read them, and this one blocks of another branch. */
  async function blocksOf(node: RpcNode, { from, last }: ReadRange): Promise<readonly LeftBlock[]> {
    const blocks: LeftBlock[] = [];
    for (let { height, hash } = last; height >= from; height -= 1) {
      const known = seen.get(height);
      const left = known?.block.hash === hash ? known : await readAgain(node, { height, hash });
      seen.set(height, left);
      blocks.unshift(left);
      hash = left.block.parentHash;
    }
    return blocks;
  }

  async function readAgain(node: RpcNode, { height, hash }: BlockId): Promise<LeftBlock> {
    const [block] = await readBlocks(node, { from: height, to: height });
    if (block?.hash !== hash)
      throw new ChainUnavailable(`${chain} was reorganised after block ${height} was read`);
    return { block, receipts: new Map() };
  }

  /** By balances, or by traces of all blocks where the node has no balances of theirs. */
  async function arrivalsAt(
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

  async function arrivals(range: ReadRange, watch: WatchList): Promise<readonly ScannedBlock[]> {
    const addresses = [...(await watch.known([...new Set([...expected, ...(await followedOf(watch))])]))];
    if (addresses.length === 0) return [];
    const found = await pool.use(async (node) => {
      const asked = lagBridged(node, lag);
      return arrivalsAt(asked, await blocksOf(asked, range), { watch, addresses });
    });
    const told: ScannedBlock[] = [];
    for (const block of found) told.push(await explained(block, watch));
    return told;
  }

  /**
   * What a node traces is a payment. A trace may fail for once, or at one node: only what none traces for some polls is told as
   * money without a payment; and what no trace shows, since the chain itself pays it (withdrawals of validators).
   */
  async function explained(block: ScannedBlock, watch: WatchList): Promise<ScannedBlock> {
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

  return {
    read(blocks, expecting) {
      for (const each of blocks) seen.set(each.block.height, each);
      for (const address of expecting) expected.add(address);
    },

    async complete(range, watch, take) {
      const { from, last, seconds } = range;
      const to = last.height;
      for (const height of seen.keys()) if (height < from) seen.delete(height);
      const done = parked?.from === from ? parked : { last: { height: from - 1 }, seconds: 0 };
      if (to - done.last.height < JOINED_BLOCKS && seconds - done.seconds < JOINED_SECONDS) return false;
      const found = await looks.at({ from, to }, arrivals(range, watch));
      if (found === null) return false;
      if (found.length > 0) await take(found);
      looks.done();
      const isParked = found.some(({ transfers }) => transfers.some(({ kind }) => kind === 'unexplained'));
      if (isParked && parked?.from !== from) {
        parked = range;
        return false;
      }
      for (const height of seen.keys()) if (height <= to) seen.delete(height);
      if (seen.size === 0) expected.clear();
      return true;
    },
  };
}
