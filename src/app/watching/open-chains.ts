/**
 * Opens chains for live payments: a chain takes them once its reading has begun. Earlier blocks are
 * never read, so a payment to an address that was issued earlier could stay unseen.
 */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { HealthNotes } from '../chains/record-health.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { ChainWatcher } from './watch-chain.ts';

/**
 * Adds to `open` every chain that is being read, and begins the others; an unreachable one is left
 * for the next call.
 */
export function openChains(
  deps: Pick<AppDependencies, 'logger'>,
  parts: {
    watchers: readonly ChainWatcher[];
    open: Set<string>;
    unscanned: Set<string>;
    /** Null in a process that does not read chains. */
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
