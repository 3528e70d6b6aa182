/**
 * The hashes of all API keys, in memory, for when so many unknown keys are tried that the database is not asked about each.
 * Whoever has a key is found in it, whatever address it is sent from. Read only then, and at most every two seconds.
 */
import type { AppDependencies } from './dependencies.ts';

const READ_AGAIN_MS = 2_000;
/** Clocks of the processes that make keys may differ by this much. */
const OVERLAP_MS = 3_600_000;

/** Answers whether a key with that lookup hash was made, as of two seconds ago at the most; it may be revoked. */
export function listOfKeys(
  deps: Pick<AppDependencies, 'clock' | 'queries'>,
): (lookupHash: string) => Promise<boolean> {
  const hashes = new Set<string>();
  let readAt: number | null = null;
  let reading: Promise<void> | null = null;

  async function read(now: number): Promise<void> {
    const since = readAt === null ? null : new Date(readAt - OVERLAP_MS);
    for (const hash of await deps.queries.keyHashes(since)) hashes.add(hash);
    readAt = now;
  }

  return async (lookupHash) => {
    if (hashes.has(lookupHash)) return true;
    const now = deps.clock.now().getTime();
    if (readAt === null || Math.abs(now - readAt) >= READ_AGAIN_MS)
      reading ??= read(now).finally(() => {
        reading = null;
      });
    await reading;
    return hashes.has(lookupHash);
  };
}
