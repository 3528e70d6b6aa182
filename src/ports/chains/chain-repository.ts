/** How far each chain was read: inside UnitOfWork.run, as all repositories (repositories.ts). */
import type { BlockRef } from './chain-scanner.ts';

export interface ChainRepository {
  cursor(chain: string): Promise<ChainCursor | null>;
  /** ChainCursor.coveredUntil of every chain that was read. */
  coveredUntil(): Promise<ReadonlyMap<string, Date>>;
  /** Waits for whoever moves the cursor, and keeps others from it for the rest of the transaction. */
  lockCursor(chain: string): Promise<void>;
  /** Moves the cursor only if it still is `expected` (null: there is none yet); false when another instance was quicker. */
  moveCursor(chain: string, expected: ChainCursor | null, next: ChainCursor): Promise<boolean>;
  /** Remembers block hashes for finding the fork of a reorganisation; old ones are forgotten. */
  rememberBlocks(chain: string, blocks: readonly BlockRef[], keep: number): Promise<void>;
  /** Remembered blocks, highest first. */
  rememberedBlocks(chain: string, limit: number): Promise<readonly BlockRef[]>;
  /** Remembered blocks above the last one of this time (Unix seconds) or before, highest first. */
  blocksLaterThan(chain: string, time: number): Promise<readonly BlockRef[]>;
  forgetBlocksAbove(chain: string, height: number): Promise<void>;
  /** Whether the block was read, is remembered, and did not leave the chain as far as that was read. */
  hasRead(chain: string, block: Pick<BlockRef, 'height' | 'hash'>): Promise<boolean>;
  /**
   * The chain was read to its tip, at this time of our own clock. Where that was last over `silentMs` away from it, `resumedAt` is set to
   * the cursor's `coveredUntil`.
   */
  noteRead(chain: string, at: Date, silentMs: number): Promise<void>;
  /** What that noted; null before the first time. */
  reads(chain: string): Promise<ChainReads | null>;
  /** What is to be waited for since then was waited for; nothing happens when the chain was resumed once more meanwhile. */
  forgetResumed(chain: string, resumedAt: Date): Promise<void>;
}

export interface ChainReads {
  readonly count: number;
  readonly lastAt: Date;
  /** By the chain; null when nothing is to be waited for. */
  readonly resumedAt: Date | null;
}

export interface ChainCursor {
  /** Last block that was read. */
  readonly height: number;
  readonly hash: string;
  /**
   * The chain's own time: all payments in blocks up to it have been seen (safety.md K7). That of its block, or of an earlier one
   * while something is left for later (ChainScanner.complete).
   */
  readonly coveredUntil: Date;
  readonly finalizedHeight: number;
}
