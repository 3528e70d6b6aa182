/** Work on many items in one transaction, where a failing item does not block the others. */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import { isAway, isLate, type LockLimits } from '../../ports/repositories.ts';

/**
 * What a set waits for a lock: far less than its deadline, so that a row which somebody has locked
 * delays the others by a few such waits.
 */
export const SET_LOCKS: LockLimits = { lockMs: 1_000 };

interface Trying<One> {
  readonly work: (some: readonly One[]) => Promise<void>;
  readonly failed: (one: One, error: unknown) => void;
  readonly stopping: AbortSignal | undefined;
}

/**
 * Does `work` for the whole group, all or nothing. If that fails, it does each half separately, and
 * so on. A single item that fails is passed to `failed`. Rejects if a chain or the database is
 * unavailable, because that concerns every item: also where one single item after the other misses
 * its deadline. Starts nothing more once `stopping` is aborted. `work` may have been done although
 * it missed its deadline: it is done again.
 */
export async function tryTogether<One>(group: readonly One[], trying: Trying<One>): Promise<void> {
  await tryGroup(group, { ...trying, lastWasLate: false });
}

async function tryGroup<One>(
  group: readonly One[],
  trying: Trying<One> & { lastWasLate: boolean },
): Promise<void> {
  const { work, failed, stopping } = trying;
  const [first] = group;
  if (first === undefined || stopping?.aborted) return;
  try {
    await work(group);
    trying.lastWasLate = false;
  } catch (error) {
    if (error instanceof ChainUnavailable || isAway(error)) throw error;
    if (group.length === 1) {
      if (isLate(error) && trying.lastWasLate) throw error;
      trying.lastWasLate = isLate(error);
      failed(first, error);
      return;
    }
    const middle = Math.ceil(group.length / 2);
    for (const half of [group.slice(0, middle), group.slice(middle)]) await tryGroup(half, trying);
  }
}
