/** Changes of a sweep that was locked, in the transaction of the caller. */
import { isSame } from '../../domain/reason.ts';
import { endedSweep, type Sweep } from '../../domain/sweeps/sweep.ts';
import type { SweepReason } from '../../domain/sweeps/sweep-reason.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { newSweep } from './plan-sweeps.ts';
import type { SweepNeeds } from './sweep-needs.ts';

/**
 * Runs `work` on the sweep if it still is what it was when the nodes were asked; null otherwise.
 */
export function lockedSweep<T>(
  deps: Pick<SweepNeeds, 'unitOfWork'>,
  expected: Sweep,
  work: (repositories: Repositories, sweep: Sweep) => Promise<T>,
): Promise<T | null> {
  return deps.unitOfWork.run(async (repositories) => {
    const sweep = await repositories.sweeps.lock(expected.id);
    return sweep?.status === expected.status ? work(repositories, sweep) : null;
  });
}

/**
 * The sweep waits as a planned one, and its deposits are free for another. One that was sent gas
 * ends instead, and a new one is planned.
 */
export async function setBack(
  deps: Pick<SweepNeeds, 'ids' | 'clock' | 'logger'>,
  repositories: Repositories,
  sweep: Sweep,
  reason: SweepReason,
): Promise<void> {
  await repositories.sweeps.uncover(sweep);
  if (sweep.status === 'planned') return recordWait(repositories, sweep, reason);
  await endUnmoved(deps, repositories, sweep, reason);
  // Nothing is planned while the ended one takes energy back: planning finds the address later.
  await repositories.sweeps.plan({ ...newSweep(deps, sweep), reason });
}

/** The sweep stays planned, and says why. */
export async function recordWait(
  repositories: Repositories,
  sweep: Sweep,
  reason: SweepReason,
): Promise<void> {
  if (!isSame(sweep.reason, reason)) await repositories.sweeps.save({ ...sweep, reason });
}

/** The sweep fails before it moved anything. */
export function endUnmoved(
  deps: Pick<SweepNeeds, 'clock' | 'logger'>,
  repositories: Repositories,
  sweep: Sweep,
  reason: SweepReason,
): Promise<void> {
  const { chain, id: sweepId, address, asset } = sweep;
  deps.logger.warn('sweep.ended_unmoved', {
    chain,
    sweepId,
    address,
    asset,
    reasonCode: reason.code,
    reason: reason.text,
  });
  return repositories.sweeps.save(endedSweep(sweep, reason, deps.clock.now()));
}
