/** How far each chain was read. Inside UnitOfWork.run only. */
import type { BlockRef } from './chain-scanner.ts';

export interface ChainRepository {
  cursor(chain: string): Promise<ChainCursor | null>;
  /** ChainCursor.coveredUntil of every chain that has a cursor. */
  coveredUntil(): Promise<ReadonlyMap<string, Date>>;
  /** Locks the cursor until the transaction ends. */
  lockCursor(chain: string): Promise<void>;
  /**
   * Moves the cursor if it still is `expected` (null: none yet); false if another instance was
   * faster.
   */
  moveCursor(chain: string, expected: ChainCursor | null, next: ChainCursor): Promise<boolean>;
  /** Stores block hashes for finding the fork of a reorganisation, and keeps the `keep` newest. */
  rememberBlocks(chain: string, blocks: readonly BlockRef[], keep: number): Promise<void>;
  /** Remembered blocks, highest first. */
  rememberedBlocks(chain: string, limit: number): Promise<readonly BlockRef[]>;
  /** Remembered blocks above the last one of this time (Unix seconds) or before, highest first. */
  blocksLaterThan(chain: string, time: number): Promise<readonly BlockRef[]>;
  forgetBlocksAbove(chain: string, height: number): Promise<void>;
  /** Whether the block was read, is remembered, and is on the chain as far as that was read. */
  hasRead(chain: string, block: Pick<BlockRef, 'height' | 'hash'>): Promise<boolean>;
  /**
   * Notes that the chain was read to its tip at `at`, by our clock. If the last time was more than
   * `silentMs` away, sets `resumedAt` to the cursor's `coveredUntil`.
   */
  noteRead(chain: string, at: Date, silentMs: number): Promise<void>;
  /** What `noteRead` stored; null before its first call. */
  reads(chain: string): Promise<ChainReads | null>;
  /** Clears `resumedAt` after the wait, unless the chain was resumed again meanwhile. */
  forgetResumed(chain: string, resumedAt: Date): Promise<void>;
}

export interface ChainReads {
  readonly count: number;
  readonly lastAt: Date;
  /** By the chain's clock; null if there is nothing to wait for. */
  readonly resumedAt: Date | null;
}

export interface ChainCursor {
  /** The last block that was read. */
  readonly height: number;
  readonly hash: string;
  /**
   * By the chain's clock: all payments in blocks up to this time have been seen (safety.md K7). The
   * time of the last block, or of an earlier one while something is postponed
   * (ChainScanner.complete).
   */
  readonly coveredUntil: Date;
  readonly finalizedHeight: number;
}
