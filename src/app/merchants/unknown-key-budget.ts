/**
 * Limits how often a second the database is asked for keys that this process does not know, from
 * all senders together (safety.md W4).
 */
import type { Clock } from '../../ports/runtime/clock.ts';

/** How long a result about a key is cached: a revoked one works at most that much longer. */
export const KEPT_MS = 5_000;

/**
 * False after a clock that was ahead was corrected, too: a revoked key would work for as long as it
 * was ahead.
 */
export const isKept = (until: number, now: number): boolean => until > now && until - now <= KEPT_MS;

/** Whether one more may be looked up now. */
export function boundPerSecond(clock: Clock, most: number): () => boolean {
  let second = 0;
  let asked = 0;
  return () => {
    const now = Math.floor(clock.now().getTime() / 1000);
    if (second !== now) [second, asked] = [now, 0];
    asked += 1;
    return asked <= most;
  };
}

/**
 * Keys a second that were invalid before and are looked up one by one; further ones must be in the
 * list of keys.
 */
export const strangersBound = (clock: Clock): (() => boolean) => boundPerSecond(clock, 100);
