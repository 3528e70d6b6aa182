/** Reads the blocks of a chain range by range, and the next range while the last is stored. */
import type { BlockId, BlockRef, ChainScanner, ScannedBlock } from '../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../ports/chains/watch-list.ts';

export interface RangeReader {
  /** The blocks that follow `after`, read before or now. */
  following(after: BlockId, tip: BlockRef): Promise<readonly ScannedBlock[]>;
  /**
   * Only if there is a next range and more after it: the last range reaches to the tip of its own
   * time.
   */
  readAhead(after: BlockId, tip: BlockRef): void;
}

export function rangeReader(scanner: ChainScanner, watch: WatchList): RangeReader {
  /** The blocks after those being stored, if they are read meanwhile. */
  let ahead: { readonly after: BlockId; readonly blocks: Promise<readonly ScannedBlock[]> } | null = null;

  function read({ height, hash }: BlockId, tip: BlockRef): Promise<readonly ScannedBlock[]> {
    const to = Math.min(tip.height, height + scanner.maxRange);
    return scanner.blocks({ from: height + 1, to, after: { height, hash } }, watch);
  }

  return {
    following(after, tip) {
      const ready = ahead;
      ahead = null;
      return ready?.after.hash === after.hash ? ready.blocks : read(after, tip);
    },

    readAhead(after, tip) {
      if (tip.height - after.height <= scanner.maxRange) return;
      const blocks = read(after, tip);
      // The poll that asks for them gets its failure.
      blocks.catch(() => {});
      ahead = { after, blocks };
    },
  };
}
