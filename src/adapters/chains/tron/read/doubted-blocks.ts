/**
 * Blocks that list other transactions than their headers name (safety.md R9): a node left some out, or somebody sent a transaction with
 * bytes that nodes hash and do not print. So that nobody can stop the chain by such bytes, what is read like this twice is believed.
 */
import type { BlockRange } from '../../../../ports/chains/chain-scanner.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { TronNode } from '../node.ts';
import type { TronPool } from '../node-pool.ts';
import { readBlocks, type TronBlock } from './blocks.ts';

export interface DoubtedBlocks {
  /**
   * The blocks of `range` that the node just told. Where they are doubted, NodeLagging, so that another node is asked for them, or, from
   * a node that stands alone, as it tells them when it is asked again.
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
  /** By block hash: the root of what was listed last. */
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
