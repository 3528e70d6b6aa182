/**
 * The blocks at the tip, asked for once: where all is read, the blocks that follow are asked for instead of a header. They tell whether
 * there is a new tip, and are at hand when they are to be read.
 */

import type { TronNode } from '../node.ts';
import {
  BLOCKS_AT_ONCE,
  blocksFrom,
  headHeader,
  readBlocks,
  refusesRanges,
  type TronBlock,
  type TronHeader,
} from './blocks.ts';

export interface NewestBlocks {
  /** The node's best block. */
  tip(node: TronNode): Promise<TronHeader>;
  /** The blocks of the range as this node has them; NodeLagging when it does not have them all. */
  read(node: TronNode, range: { from: number; to: number }): Promise<readonly TronBlock[]>;
  /** Blocks up to `height` were read, of a chain whose tip was last seen at `tip`. */
  readTo(height: number, tip: number): void;
}

/** None from a gateway that does not serve ranges. */
async function followersOf(node: TronNode, next: number): Promise<readonly TronBlock[]> {
  try {
    return await blocksFrom(node, next, BLOCKS_AT_ONCE);
  } catch (error) {
    if (refusesRanges(error)) return [];
    throw error;
  }
}

export function newestBlocks(): NewestBlocks {
  /** The height that comes next; null while so many are missing that the next ones tell nothing of the tip. */
  let next: number | null = null;
  let kept: { readonly node: TronNode; readonly blocks: readonly TronBlock[] } | null = null;

  return {
    async tip(node) {
      kept = null;
      if (next === null) return headHeader(node, 'wallet');
      const blocks = await followersOf(node, next);
      kept = { node, blocks };
      // None: it may have gone back. All that were asked for: there may be more.
      return blocks.length % BLOCKS_AT_ONCE === 0 ? headHeader(node, 'wallet') : blocks.at(-1)!;
    },
    async read(node, range) {
      const { from, to } = range;
      const ready = kept?.node === node ? kept.blocks : [];
      const wanted = ready.filter(({ height }) => height >= from && height <= to);
      return wanted.length === to - from + 1 ? wanted : readBlocks(node, range);
    },
    readTo(height, tip) {
      next = tip - height < BLOCKS_AT_ONCE ? height + 1 : null;
    },
  };
}
