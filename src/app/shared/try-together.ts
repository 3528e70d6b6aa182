/** Work on many items in one transaction, where a failing item does not block the others. */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import { StorageUnavailable } from '../../ports/repositories.ts';

/**
 * Does `work` for the whole group, all or nothing. If that fails, it does each half separately, and
 * so on. A single item that fails is passed to `failed`. Rejects if a chain or the database is
 * unavailable, because that concerns every item. Starts nothing more once `stopping` is aborted.
 */
export async function tryTogether<One>(
  group: readonly One[],
  {
    work,
    failed,
    stopping,
  }: {
    work: (some: readonly One[]) => Promise<void>;
    failed: (one: One, error: unknown) => void;
    stopping: AbortSignal | undefined;
  },
): Promise<void> {
  const [first] = group;
  if (first === undefined || stopping?.aborted) return;
  try {
    await work(group);
  } catch (error) {
    if (error instanceof ChainUnavailable || error instanceof StorageUnavailable) throw error;
    if (group.length === 1) {
      failed(first, error);
      return;
    }
    const middle = Math.ceil(group.length / 2);
    for (const half of [group.slice(0, middle), group.slice(middle)])
      await tryTogether(half, { work, failed, stopping });
  }
}
