/** How far each chain was read: inside UnitOfWork.run, as all repositories (repositories.ts). */
import type { BlockRef } from './chain-scanner.ts';

export interface ChainRepository {
  cursor(chain: string): Promise<ChainCursor | null>;
  /** ChainCursor.coveredUntil of every chain that was read. */
  coveredUntil(): Promise<ReadonlyMap<string, Date>>;
  /** The latest `coveredUntil` of all chains; null while none is read. */
  lastCovered(): Promise<Date | null>;
  /** Waits for whoever moves the cursor, and keeps others from it for the rest of the transaction. */
  lockCursor(chain: string): Promise<void>;
  /** Moves the cursor only if it still is `expected` (null: there is none yet); false when another instance was quicker. */
  moveCursor(chain: string, expected: ChainCursor | null, next: ChainCursor): Promise<boolean>;
  /** Remembers block hashes for finding the fork of a reorganisation; old ones are forgotten. */
  rememberBlocks(chain: string, blocks: readonly BlockRef[], keep: number): Promise<void>;
  /** Remembered blocks, highest first. */
  rememberedBlocks(chain: string, limit: number): Promise<readonly BlockRef[]>;
  forgetBlocksAbove(chain: string, height: number): Promise<void>;
  /** Whether the block was read, is remembered, and did not leave the chain as far as that was read. */
  hasRead(chain: string, block: Pick<BlockRef, 'height' | 'hash'>): Promise<boolean>;
}

export interface ChainCursor {
  /** Last block that was read. */
  readonly height: number;
  readonly hash: string;
  /** All payments made before this instant have been seen: block time, or the time of the poll when it reached the tip. */
  readonly coveredUntil: Date;
  readonly finalizedHeight: number;
}
