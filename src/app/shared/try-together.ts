/** Work that many share a transaction for: one that cannot be done holds up no other. */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import { StorageUnavailable } from '../../ports/repositories.ts';

/**
 * Does `work`, all of it or nothing, for the whole group; where that fails, for each half by
 * itself, and so on. `failed` is told of a single one for which it fails. What is away is away for
 * all: then it rejects. Once `stopping` is aborted it begins nothing more.
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
