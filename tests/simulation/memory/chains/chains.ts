/** Each chain's reading position and remembered blocks in memory. */
import type { ChainRepository } from '../../../../src/ports/chains/chain-repository.ts';
import type { BlockRef } from '../../../../src/ports/chains/chain-scanner.ts';
import type { MemoryStore } from '../store/memory-store.ts';

export function chainRepository(store: MemoryStore): ChainRepository {
  const { chainCursors: cursors } = store.tables;
  return {
    async cursor(chain) {
      const row = cursors.find(chain);
      if (row === undefined) return null;
      const { height, hash, coveredUntil, finalizedHeight } = row;
      return { height, hash, coveredUntil, finalizedHeight };
    },

    async coveredUntil() {
      const times = new Map<string, Date>();
      for (const { chain, coveredUntil } of cursors.all()) times.set(chain, coveredUntil);
      return times;
    },

    lockCursor: async () => undefined,

    async moveCursor(chain, expected, { height, hash, coveredUntil, finalizedHeight }) {
      const next = { height, hash, coveredUntil, finalizedHeight };
      if (expected === null) return cursors.insertUnlessThere({ chain, ...next }) !== null;
      const there = cursors.find(chain);
      const isExpected =
        there !== undefined &&
        there.height === expected.height &&
        there.hash === expected.hash &&
        there.coveredUntil.getTime() === expected.coveredUntil.getTime() &&
        there.finalizedHeight === expected.finalizedHeight;
      if (isExpected) cursors.update(there, next);
      return isExpected;
    },

    async reads(chain) {
      const row = cursors.find(chain);
      if (row === undefined || row.readAt === null) return null;
      return { count: row.reads, lastAt: row.readAt, resumedAt: row.resumedAt };
    },

    async noteRead(chain, at, silentMs) {
      const row = cursors.find(chain);
      if (row === undefined) return;
      const { readAt, reads, coveredUntil, resumedAt } = row;
      // In either direction: the clock may have been set back.
      const wasSilent = readAt !== null && Math.abs(readAt.getTime() - at.getTime()) > silentMs;
      cursors.update(row, {
        readAt: at,
        reads: reads + 1,
        resumedAt: wasSilent ? coveredUntil : resumedAt,
      });
    },

    async forgetResumed(chain, resumedAt) {
      const row = cursors.find(chain);
      if (row?.resumedAt?.getTime() === resumedAt.getTime()) cursors.update(row, { resumedAt: null });
    },

    ...blockRepository(store),
  };
}

type BlockMethods =
  | 'rememberBlocks'
  | 'rememberedBlocks'
  | 'blocksLaterThan'
  | 'hasRead'
  | 'forgetBlocksAbove';

function blockRepository(store: MemoryStore): Pick<ChainRepository, BlockMethods> {
  const { chainBlocks } = store.tables;
  const highestFirst = (chain: string) => chainBlocks.by('chain', chain).sort((a, b) => b.height - a.height);
  return {
    async rememberBlocks(chain, blocks, keep) {
      for (const { height, hash, parentHash, time } of blocks) {
        const block = { hash, parentHash, time };
        chainBlocks.insertOrUpdate({ chain, height, ...block }, () => block);
      }
      if (chainBlocks.by('chain', chain).length <= keep) return;
      for (const old of highestFirst(chain).slice(keep)) chainBlocks.delete(old);
    },

    rememberedBlocks: async (chain, limit) => highestFirst(chain).slice(0, limit).map(blockFromRow),

    async blocksLaterThan(chain, time) {
      const blocks = highestFirst(chain);
      const covered = blocks.findIndex((block) => block.time <= time);
      return (covered === -1 ? blocks : blocks.slice(0, covered)).map(blockFromRow);
    },

    hasRead: async (chain, { height, hash }) => chainBlocks.find(chain, height)?.hash === hash,

    async forgetBlocksAbove(chain, height) {
      for (const block of chainBlocks.by('chain', chain))
        if (block.height > height) chainBlocks.delete(block);
    },
  };
}

function blockFromRow({ height, hash, parentHash, time }: BlockRef): BlockRef {
  return { height, hash, parentHash, time };
}
