/** Reads the blocks of a chain range by range, the next one while the last is stored. */
import type { BlockId, BlockRef, ChainScanner, ScannedBlock } from '../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../ports/chains/watch-list.ts';

export interface RangeReader {
  /** The blocks that follow on `after`, read before or now. */
  following(after: BlockId, tip: BlockRef): Promise<readonly ScannedBlock[]>;
  /** Only while there is a range and more to read: the last one goes up to the tip of its own time, or it would never be reached. */
  readAhead(after: BlockId, tip: BlockRef): void;
}

export function rangeReader(scanner: ChainScanner, watch: WatchList): RangeReader {
  /** What follows on the blocks that are stored at the moment, when it is read meanwhile. */
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
      // Its failure is that of the poll that asks for them.
      blocks.catch(() => {});
      ahead = { after, blocks };
    },
  };
}
