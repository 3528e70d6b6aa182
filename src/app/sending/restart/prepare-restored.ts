/**
 * What makes a database from an older backup safe, before any process starts on it: no address is
 * issued twice, and no payout is paid that may have been paid since (safety.md K4, K5).
 */
import type { AppDependencies } from '../../dependencies.ts';
import { type RaisedIndexes, raiseIndexes } from '../../invoices/addresses/raise-indexes.ts';
import { holdBack } from './hold-back.ts';

const WHY = 'an older backup was restored: it may have been paid since';

/**
 * Skips `skip` addresses of each family after the last one in the database, and holds every pending
 * live payout. Repeated, it changes nothing. `held`: ids of the payouts that were not held for this
 * reason before.
 */
export async function prepareRestored(
  deps: Parameters<typeof raiseIndexes>[0] & Pick<AppDependencies, 'unitOfWork' | 'clock'>,
  skip: number,
): Promise<{ readonly indexes: RaisedIndexes; readonly held: readonly string[] }> {
  const indexes = await raiseIndexes(deps, skip);
  const held = await deps.unitOfWork.run(async (repositories) => {
    const all = { assets: null, madeBefore: null, now: deps.clock.now() };
    const payoutIds = await repositories.payouts.pendingOf(all);
    return holdBack(repositories, { payoutIds, assets: null, at: all.now }, WHY);
  });
  return { indexes, held };
}
