/**
 * Blocks whose listed transactions do not match the header's root (safety.md R9): a node omitted
 * some, or a transaction has bytes that nodes hash and do not print. A list that is read twice
 * alike is believed, so that such bytes cannot stop the scan.
 */
import type { BlockRange } from '../../../../ports/chains/chain-scanner.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { TronNode } from '../node.ts';
import type { TronPool } from '../node-pool.ts';
import { readBlocks, type TronBlock } from './blocks.ts';

export interface DoubtedBlocks {
  /**
   * The blocks of `range` that the node just returned. If one is doubted: NodeLagging, so that
   * another node is asked. A single node is asked again, and its second answer counts.
   */
  held(
    node: TronNode,
    range: Pick<BlockRange, 'from' | 'to'>,
    told: readonly TronBlock[],
  ): Promise<readonly TronBlock[]>;
}

const REMEMBERED = 1_000;

export function doubtedBlocks(options: {
  chain: string;
  pool: Pick<TronPool, 'size'>;
  logger: Logger;
}): DoubtedBlocks {
  const { chain, pool, logger } = options;
  /** By block hash: the root of the last list. */
  const listed = new Map<string, string | null>();

  /** The first that was not read like this before. */
  function newlyOdd(blocks: readonly TronBlock[]): TronBlock | undefined {
    const odd = blocks.filter(({ otherRoot }) => otherRoot !== null);
    const first = odd.find(({ hash, otherRoot }) => listed.get(hash) !== otherRoot);
    if (listed.size > REMEMBERED) listed.clear();
    for (const { hash, otherRoot } of odd) listed.set(hash, otherRoot);
    return first;
  }

  return {
    async held(node, range, told) {
      let blocks = told;
      let doubted = newlyOdd(blocks);
      if (doubted !== undefined && pool.size === 1) {
        blocks = await readBlocks(node, range);
        doubted = newlyOdd(blocks);
      }
      if (doubted !== undefined)
        throw new NodeLagging(`lists other transactions than the header of block ${doubted.height} names`);
      for (const { height, otherRoot } of blocks)
        if (otherRoot !== null)
          logger.warn('chain.transactions_unproven', { chain, node: node.label, height });
      return blocks;
    },
  };
}
