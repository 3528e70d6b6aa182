/** How often a second the database is asked about what nobody here has, whoever tries it (safety.md W4). */
import type { Clock } from '../../ports/runtime/clock.ts';

/** An answer about a key is kept so long: a revoked one works at most that much longer. */
export const KEPT_MS = 5_000;

/** Not after a clock that was ahead was set right, either: a revoked key would work for as long as it was ahead. */
export const isKept = (until: number, now: number): boolean => until > now && until - now <= KEPT_MS;

/** Answers whether one more may be looked up now. */
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

/** Keys a second that were not good before and are looked up by themselves; further ones must be in the list of keys. */
export const strangersBound = (clock: Clock): (() => boolean) => boundPerSecond(clock, 100);
