/**
 * The blocks at the tip, read once. Once all is read, the following blocks are requested instead of
 * a header. They show whether there is a new tip, and need not be read again.
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
  /** The blocks of the range as this node has them; NodeLagging when one is missing. */
  read(node: TronNode, range: { from: number; to: number }): Promise<readonly TronBlock[]>;
  /** Notes that blocks up to `height` were read, of a chain whose tip was last seen at `tip`. */
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
  /** The next height; null while so many are missing that the next ones do not show the tip. */
  let next: number | null = null;
  let kept: { readonly node: TronNode; readonly blocks: readonly TronBlock[] } | null = null;

  return {
    async tip(node) {
      kept = null;
      if (next === null) return headHeader(node, 'wallet');
      const blocks = await followersOf(node, next);
      kept = { node, blocks };
      // None: the tip may have gone back. As many as requested: there may be more.
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
