/** Monero's unlock_time as the height that the application waits for (safety.md M2). */
import type { BlockRef } from '../../../ports/chains/chain-scanner.ts';

/**
 * Below it an unlock time is a height, from it on Unix seconds (cryptonote_config.h,
 * CRYPTONOTE_MAX_BLOCK_NUMBER).
 */
const FIRST_TIME = 500_000_000n;
/**
 * A block comes every 120 seconds on average. With fewer, the height that is guessed from a time is
 * too late and not too early.
 */
const LEAST_BLOCK_SECONDS = 90n;
const LATEST = 2n ** 53n - 1n;

/**
 * The height of the first block that may spend an output of `block`; null when it is not locked, or
 * not beyond its own block. A time is turned into the height by which it has surely passed, however
 * far that is.
 */
export function lockedUntil(unlockTime: bigint, block: BlockRef): number | null {
  const height = unlockTime < FIRST_TIME ? unlockTime : heightAtTime(unlockTime, block);
  if (height <= BigInt(block.height)) return null;
  return Number(height < LATEST ? height : LATEST);
}

function heightAtTime(seconds: bigint, { height, time }: BlockRef): bigint {
  const wait = seconds - BigInt(time);
  return wait <= 0n ? 0n : BigInt(height) + (wait + LEAST_BLOCK_SECONDS - 1n) / LEAST_BLOCK_SECONDS;
}
