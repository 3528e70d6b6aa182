/** Reads the parts of blocks that were left for later (ChainScanner.complete). */
import type { Moment } from '../../domain/chains/payment-time.ts';
import type { ChainCursor } from '../../ports/chains/chain-repository.ts';
import type { ChainScanner } from '../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../ports/chains/watch-list.ts';
import { recordAgain } from './reread-blocks.ts';

/**
 * Records the missing parts of blocks that are not covered, as far as the scanner reports them, and
 * covers them.
 */
export async function completeBlocks(
  deps: Parameters<typeof recordAgain>[0],
  source: {
    scanner: ChainScanner;
    watch: WatchList;
    on: Parameters<typeof recordAgain>[1];
  },
  cursor: ChainCursor,
  now: Moment,
): Promise<void> {
  const { scanner, watch, on } = source;
  if (scanner.complete === undefined) return;
  const coveredUntil = cursor.coveredUntil.getTime() / 1000;
  const open = await deps.unitOfWork.run(({ chains }) => chains.blocksLaterThan(on.chain, coveredUntil));
  const [last, first] = [open[0], open.at(-1)];
  // Another instance may have moved back, or on.
  if (first === undefined || last?.hash !== cursor.hash) return;
  const range = { from: first.height, last, seconds: last.time - coveredUntil };
  const isDone = await scanner.complete(range, watch, async (blocks) => {
    await recordAgain(deps, on, { blocks, now });
  });
  if (!isDone) return;
  const covered = { ...cursor, coveredUntil: new Date(last.time * 1000) };
  await deps.unitOfWork.run(({ chains }) => chains.moveCursor(on.chain, cursor, covered));
}
