/**
 * The hashes of all API keys, in memory, for when so many unknown keys are tried that the database is not asked about each.
 * Whoever has a key is found in it, whatever address it is sent from and however young the key is. Read only then, and at most
 * four times a second.
 */
import type { AppDependencies } from '../dependencies.ts';

const READ_AGAIN_MS = 250;
/** Clocks of the processes that make keys may differ by this much. */
const OVERLAP_MS = 3_600_000;

/** Answers whether a key with that lookup hash was made before the question; it may be revoked. */
export function listOfKeys(
  deps: Pick<AppDependencies, 'clock' | 'timers' | 'queries'>,
): (lookupHash: string) => Promise<boolean> {
  const hashes = new Set<string>();
  let readAt: number | null = null;
  /** The reading that has not begun yet: whatever was made before now is in it. */
  let next: Promise<void> | null = null;
  let mayBegin: Promise<unknown> = Promise.resolve();

  async function read(): Promise<void> {
    const now = deps.clock.now().getTime();
    const since = readAt === null ? null : new Date(readAt - OVERLAP_MS);
    for (const hash of await deps.queries.keyHashes(since)) hashes.add(hash);
    readAt = now;
  }

  async function readInTurn(): Promise<void> {
    await mayBegin;
    next = null;
    const pause = new Promise<void>((resume) => deps.timers.after(READ_AGAIN_MS, resume));
    const reading = read();
    mayBegin = Promise.allSettled([pause, reading]);
    return reading;
  }

  return async (lookupHash) => {
    if (hashes.has(lookupHash)) return true;
    next ??= readInTurn();
    await next;
    return hashes.has(lookupHash);
  };
}
