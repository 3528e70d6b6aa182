/**
 * The hashes of all API keys, in memory, for when so many unknown keys are tried that the database
 * is not asked about each. It has every valid key, however new, and from any sender. It is read
 * only then, at most four times a second.
 */
import type { AppDependencies } from '../dependencies.ts';

const READ_AGAIN_MS = 250;
/** Clocks of the processes that create keys may differ by this much. */
const OVERLAP_MS = 3_600_000;

/** Whether a key with that lookup hash was created before the question; it may be revoked. */
export function listOfKeys(
  deps: Pick<AppDependencies, 'clock' | 'timers' | 'queries'>,
): (lookupHash: string) => Promise<boolean> {
  const hashes = new Set<string>();
  let readAt: number | null = null;
  /** The next read, not started yet: it will contain everything created before now. */
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
