/**
 * Changes of sweeps that are locked. They are held back, and written with a few statements for all
 * sweeps of a transaction.
 */
import { isSame } from '../../domain/reason.ts';
import { endedSweep, type Sweep } from '../../domain/sweeps/sweep.ts';
import type { SweepReason } from '../../domain/sweeps/sweep-reason.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { SET_LOCKS } from '../shared/try-together.ts';
import { newSweep } from './plan-sweeps.ts';
import type { SweepNeeds } from './sweep-needs.ts';

/** What is to be written of sweeps that are locked, at the end of the transaction. */
export interface SweepChanges {
  /** Of a sweep that is saved repeatedly, only the last is written. */
  save(sweep: Sweep): void;
  /** Releases its deposits. */
  uncover(sweep: Sweep): void;
  /** After all that is saved. At most one of a place. */
  plan(sweep: Sweep): void;
}

function heldBackChanges(): SweepChanges & { write(repositories: Repositories): Promise<void> } {
  const saved = new Map<string, Sweep>();
  const uncovered: Sweep[] = [];
  const planned: Sweep[] = [];
  return {
    save: (sweep) => void saved.set(sweep.id, sweep),
    uncover: (sweep) => void uncovered.push(sweep),
    plan: (sweep) => void planned.push(sweep),
    async write({ sweeps }) {
      await sweeps.uncover(uncovered);
      await sweeps.saveAll([...saved.values()]);
      await sweeps.planAll(planned);
    },
  };
}

type Locked = Pick<SweepNeeds, 'unitOfWork'>;

/**
 * Runs `work` on the sweep if it still is what it was when the nodes were asked; null otherwise.
 */
export function lockedSweep<T>(
  deps: Locked,
  expected: Sweep,
  work: (repositories: Repositories, sweep: Sweep) => Promise<T>,
): Promise<T | null> {
  return deps.unitOfWork.run(async (repositories) => {
    const sweep = await repositories.sweeps.lock(expected.id);
    return sweep?.status === expected.status ? work(repositories, sweep) : null;
  });
}

/**
 * Runs `work` on those of the sweeps that still are what they were when the nodes were asked, and
 * then writes its changes. All or nothing, in one transaction.
 */
export function lockedSweeps<T>(
  deps: Locked,
  expected: readonly Sweep[],
  work: (repositories: Repositories, sweeps: readonly Sweep[], changes: SweepChanges) => Promise<T>,
): Promise<T> {
  const statuses = new Map(expected.map(({ id, status }) => [id, status]));
  return deps.unitOfWork.run(async (repositories) => {
    const locked = await repositories.sweeps.lockAll([...statuses.keys()]);
    const changes = heldBackChanges();
    const unchanged = locked.filter(({ id, status }) => statuses.get(id) === status);
    const done = await work(repositories, unchanged, changes);
    await changes.write(repositories);
    return done;
  }, SET_LOCKS);
}

/** Changes those of the sweeps that still are what they were. */
export async function changeSweeps(
  deps: Locked,
  expected: readonly Sweep[],
  change: (changes: SweepChanges, sweep: Sweep) => void,
): Promise<void> {
  await lockedSweeps(deps, expected, async (_, sweeps, changes) => {
    for (const sweep of sweeps) change(changes, sweep);
  });
}

/**
 * The sweep waits as a planned one, and its deposits are free for another. One that was sent gas
 * ends instead, and a new one is planned.
 */
export function setBack(
  deps: Pick<SweepNeeds, 'ids' | 'clock' | 'logger'>,
  changes: SweepChanges,
  sweep: Sweep,
  reason: SweepReason,
): void {
  changes.uncover(sweep);
  if (sweep.status === 'planned') {
    recordWait(changes, sweep, reason);
    return;
  }
  endUnmoved(deps, changes, sweep, reason);
  // Nothing is planned while the ended one takes energy back: planning finds the address later.
  changes.plan({ ...newSweep(deps, sweep), reason });
}

/** The sweep stays planned, and says why. */
export function recordWait(changes: SweepChanges, sweep: Sweep, reason: SweepReason): void {
  if (!isSame(sweep.reason, reason)) changes.save({ ...sweep, reason });
}

/** The sweep fails before it moved anything. */
export function endUnmoved(
  deps: Pick<SweepNeeds, 'clock' | 'logger'>,
  changes: SweepChanges,
  sweep: Sweep,
  reason: SweepReason,
): void {
  const { chain, id: sweepId, address, asset } = sweep;
  deps.logger.warn('sweep.ended_unmoved', {
    chain,
    sweepId,
    address,
    asset,
    reasonCode: reason.code,
    reason: reason.text,
  });
  changes.save(endedSweep(sweep, reason, deps.clock.now()));
}
