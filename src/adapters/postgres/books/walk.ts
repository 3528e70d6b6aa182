/**
 * The walk through all rows. A step looks at one chunk, and moves on in a transaction that holds
 * the walk's lock; if another process moved on meanwhile, its work is dropped, so each entry is
 * summed up once. A process that dies costs the chunk it was at.
 */
import type { ReconciliationFault } from '../../../ports/treasury/book-checks.ts';
import { seekOnly } from '../client/by-index.ts';
import type { Database } from '../client/client.ts';
import type { Sql } from '../client/sql.ts';
import { WALK_PHASES, type WalkPhase } from '../schema/verified.ts';
import { blockAfter, wrongCounts } from './count-blocks.ts';
import { wrongDays } from './day-figures.ts';
import { doubt, noteChanged } from './doubts.ts';
import { faultsAround, rowOf } from './row-checks.ts';
import { isRowPhase, nextRows, type RowPhase } from './row-phases.ts';
import { changedSums, forgetWalkedSums, letStand, sumUp } from './verified-balances.ts';
import { forgetWalkedNumbers, letNumbersStand, wrongNumbers } from './verified-numbers.ts';
import { isSame, lockWalk, moveWalk, type WalkState } from './walk-state.ts';

/** After every id. */
const END = 'z';

interface Step {
  readonly faults: readonly ReconciliationFault[];
  /** `lost`: another process moved on. */
  readonly outcome: 'moved' | 'lost' | 'ended';
}

/** How a walk is stepped. */
interface Stepping {
  /** Rows that a chunk begins with. */
  readonly atOnce: number;
  /** Null if the time does not matter. */
  readonly now: Date | null;
  readonly stopping?: AbortSignal | undefined;
}

/** From the first row, also if one is under way, unless it `isDue` no more. */
export async function beginWalk(
  database: Database,
  now: Date | null,
  isDue: (state: WalkState) => boolean = () => true,
): Promise<void> {
  await database.transaction(async (on) => {
    const state = await lockWalk(on);
    if (!isDue(state)) return;
    await forgetWalkedSums(on);
    await forgetWalkedNumbers(on);
    const { summed, endedAt } = state;
    // A clock that was ahead when a walk ended says nothing later.
    const isEarlier = endedAt !== null && (now === null || endedAt < now);
    await moveWalk(on, {
      ...{ phase: 'entries', after: '', begunAt: now, summed, failed: null },
      endedAt: isEarlier ? endedAt : now,
    });
  });
}

/** Looks at the next chunk. What it throws, `passOver` can leave behind. */
export async function stepWalk(database: Database, state: WalkState, by: Stepping): Promise<Step> {
  const { phase } = state;
  if (phase === 'ended') return { faults: [], outcome: 'ended' };
  if (isRowPhase(phase)) return stepRows(database, { state, phase, by });
  if (phase === 'counts') return stepCounts(database, state, by);
  const to = next(state, by);
  if (phase === 'days') {
    const faults = await wrongDays(database);
    const keys = faults.length > 0 ? [''] : [];
    return moveOn(database, state, { faults, to, also: (on) => doubt(on, 'days', keys) });
  }
  const faults = await wrongNumbers(database, 'walk', { stopping: by.stopping });
  if (by.stopping?.aborted) return { faults, outcome: 'moved' };
  return moveOn(database, state, { faults, to, also: letNumbersStand });
}

/**
 * Leaves a phase that fails, so that it does not keep the walk from the others. Throws where the
 * database does not answer: then the walk goes on here later.
 */
export function passOver(database: Database, state: WalkState, by: Stepping): Promise<Step> {
  const to = next({ ...state, failed: state.failed ?? state.phase }, by);
  return moveOn(database, state, { faults: [], to });
}

async function stepRows(
  database: Database,
  { state, phase, by }: { readonly state: WalkState; readonly phase: RowPhase; readonly by: Stepping },
): Promise<Step> {
  const { atOnce } = by;
  const rows = await database.snapshot(async (on) => {
    await seekOnly(on);
    return nextRows(on, phase, { after: state.after, limit: atOnce });
  });
  const ids = rows.filter(({ left }) => left).map(({ id }) => id);
  const faults = await faultsAround(database, ids);
  const last = rows.length < atOnce ? null : (rows.at(-1)?.id ?? null);
  const to = last === null ? next(state, by) : { ...state, after: last };
  return moveOn(database, state, {
    ...{ faults, to: phase === 'entries' && last === null ? { ...to, summed: true } : to },
    async also(on) {
      await doubt(on, 'row', faults.map(rowOf));
      if (phase !== 'entries') return;
      await sumUp(on, state.after, last ?? END);
      if (last === null) await endSums(on, state);
    },
  });
}

/** All entries are summed up. */
async function endSums(on: Sql, { summed }: WalkState): Promise<void> {
  await noteChanged(on, summed ? await changedSums(on) : []);
  await letStand(on);
}

async function stepCounts(database: Database, state: WalkState, by: Stepping): Promise<Step> {
  const key = await blockAfter(database, state.after);
  if (key === null) return moveOn(database, state, { faults: [], to: next(state, by) });
  const faults = await wrongCounts(database, key);
  return moveOn(database, state, {
    ...{ faults, to: { ...state, after: key } },
    also: (on) => doubt(on, 'block', faults.length > 0 ? [key] : []),
  });
}

function next(state: WalkState, { now }: Stepping): WalkState {
  const phase: WalkPhase = WALK_PHASES[WALK_PHASES.indexOf(state.phase) + 1] ?? 'ended';
  const isWhole = phase === 'ended' && state.failed === null;
  return { ...state, phase, after: '', endedAt: isWhole && now !== null ? now : state.endedAt };
}

function moveOn(
  database: Database,
  from: WalkState,
  step: Pick<Step, 'faults'> & { readonly to: WalkState; readonly also?: (on: Sql) => Promise<void> },
): Promise<Step> {
  const { faults } = step;
  return database.transaction(async (on) => {
    if (!isSame(await lockWalk(on), from)) return { faults, outcome: 'lost' };
    await step.also?.(on);
    await moveWalk(on, step.to);
    return { faults, outcome: 'moved' };
  });
}
