/**
 * Opens chains for live payments: a chain takes them from the moment its reading has begun. What was mined before that is
 * never read, so an address that is given out earlier could be paid unseen.
 */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { HealthNotes } from '../chains/record-health.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { ChainWatcher } from './watch-chain.ts';

/** Adds to `open` every chain whose reading has begun, beginning it where it has not; one that is out of reach is left for the next call. */
export function openChains(
  deps: Pick<AppDependencies, 'logger'>,
  parts: {
    watchers: readonly ChainWatcher[];
    open: Set<string>;
    unscanned: Set<string>;
    /** Null in a process that leaves reading to others. */
    notes: HealthNotes | null;
  },
): () => Promise<void> {
  async function openOne(watcher: ChainWatcher): Promise<void> {
    try {
      const { unscanned } = await watcher.begin();
      for (const asset of unscanned) parts.unscanned.add(asset);
      parts.open.add(watcher.chain);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      deps.logger.warn('chain.never_reached', {
        chain: watcher.chain,
        reason: error.message,
      });
      await parts.notes?.note(watcher.chain, error.fault);
    }
  }
  return async () => {
    const closed = parts.watchers.filter((watcher) => !parts.open.has(watcher.chain));
    await Promise.all(closed.map(openOne));
  };
}
