/**
 * Balances of the newest blocks of a chain whose blocks are all read, on nodes that do not trace: they are compared over some blocks
 * together, as each comparison costs a call for each 5,000 addresses. What came is told by its block all the same.
 */
import { type ChainScanner, ChainUnavailable } from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { NodePool } from '../shared/node-pool.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { heightsOf, readBlocks } from './block-reader.ts';
import type { NodeBlock } from './decode.ts';
import { lagBridged } from './lagging.ts';
import type { LeftBlock, RangeScanner } from './range-scan.ts';

/** Two minutes on Ethereum. What is found waits for an operator anyway (safety.md E6). */
const JOINED_BLOCKS = 10;
const FAILURES_MOST = 10;

export interface JoinedBalances {
  /** Notes blocks that were read and not compared. */
  left(blocks: readonly LeftBlock[]): void;
  /** ChainScanner.late: what came in blocks that were left since the last comparison, as soon as they are not few. */
  readonly look: NonNullable<ChainScanner['late']>;
}

export function joinedBalances(options: {
  chain: string;
  pool: NodePool<RpcNode>;
  ranges: RangeScanner;
  /** How long a lagging machine is waited for. */
  lagMs: number;
  logger: Logger;
}): JoinedBalances {
  const { chain, pool, ranges, lagMs, logger } = options;
  const open = new Map<number, LeftBlock>();
  /** Height up to which balances were compared and blocks traced; null before the first comparison. */
  let done: number | null = null;
  /** In a row. */
  let failures = 0;

  /** Others may have read some of the blocks, or a process before this one, and all again after a reorganisation: those are asked for. */
  async function linked(node: RpcNode, range: { from: number; to: number }): Promise<readonly LeftBlock[]> {
    const unread = (block: NodeBlock): LeftBlock => ({ block, receipts: new Map() });
    const blocks: LeftBlock[] = [];
    for (const height of heightsOf(range)) {
      const missing = open.has(height) ? [] : await readBlocks(node, { from: height, to: height });
      blocks.push(open.get(height) ?? unread(missing[0]!));
    }
    const isOne = blocks.every(
      ({ block }, at) => at === 0 || block.parentHash === blocks[at - 1]!.block.hash,
    );
    return isOne ? blocks : (await readBlocks(node, range)).map(unread);
  }

  /** What cannot be compared must not hold up what is credited: it is tried at some polls, and then left. */
  function isGivenUp(range: { from: number; to: number }, { message: problem }: Error): boolean {
    failures += 1;
    if (failures < FAILURES_MOST) return false;
    logger.warn('chain.balances_unreconciled', { chain, ...range, problem });
    return true;
  }

  return {
    left(blocks) {
      for (const each of blocks) open.set(each.block.height, each);
      const first = blocks[0]?.block.height;
      // They stand in the place of others that were compared.
      if (done !== null && first !== undefined) done = Math.min(done, first - 1);
    },

    async look(upTo, watch, take) {
      const own = [...open.keys()].filter((height) => height <= upTo);
      const lowest = Math.min(...own);
      if (own.length === 0 && done !== null) done = upTo;
      if (!(upTo - lowest + 1 >= JOINED_BLOCKS)) return;
      // What another instance, or the process before this one, may have left.
      const from = Math.max(1, (done ?? 0) + 1, lowest - JOINED_BLOCKS + 1);
      const range = { from, to: Math.max(...own) };
      const found = await pool
        .use(async (node) => {
          const asked = lagBridged(node, lagMs);
          return ranges.arrivals(asked, await linked(asked, range), watch);
        })
        .catch((error: unknown) => {
          if (!(error instanceof ChainUnavailable)) throw error;
          return isGivenUp(range, error) ? [] : null;
        });
      if (found === null) return;
      if (found.length > 0) await take(found);
      for (const height of own) open.delete(height);
      [done, failures] = [upTo, 0];
    },
  };
}
