/**
 * Reconciliation of the books with themselves (ports/treasury/book-checks.ts). The hourly run reads
 * new entries and what belongs to them, sums, and where a fault was. The walk (walk.ts) reads
 * everything.
 */
import type { BookChecks, ReconciliationFault } from '../../../ports/treasury/book-checks.ts';
import { type Database, DatabaseUnavailable } from '../client/client.ts';
import { COUNT_CHECK, wrongCounts } from './count-blocks.ts';
import { DAY_CHECK, wrongDays } from './day-figures.ts';
import { changedBefore, doubt, doubted, resolved } from './doubts.ts';
import { type Faults, foundFaults } from './found-faults.ts';
import { CHECK_NAMES, FAULTS_MAX, faultsAround, rowOf } from './row-checks.ts';
import { newerRows, RECENT } from './row-phases.ts';
import { unverifiedEntries, verifyEntries, wrongBalances } from './verified-balances.ts';
import { NUMBER_CHECKS, wrongNumbers } from './verified-numbers.ts';
import { beginWalk, passOver, stepWalk } from './walk.ts';
import { isSame, lockWalk, summedUpTo, type WalkState, walkState } from './walk-state.ts';
import { notWalked } from './walked-lately.ts';

const AT_ONCE = 1_000;
/** Where a fault was, at most so many places: a systematic fault shows with them. */
const DOUBTS_MAX = 5_000;
/** Rows this new are looked at even if no entry names them: they may have changed without one. */
const RECENT_MS = 7_200_000;
/** Chunks of them in a table: a clock that is far behind would call all rows new. */
const RECENT_CHUNKS_MAX = 500;
/** Chunks of new entries that cannot be compared, before a run gives up. */
const UNREADABLE_MAX = 3;
const BALANCES = 'balance equals the postings to the merchant';
const CHANGED = 'verified entries are what they were';
const WALKED = 'all rows are compared every night';
const COMPARED = 'new entries are compared within the hour';
const OTHERS = [BALANCES, ...NUMBER_CHECKS, COUNT_CHECK, DAY_CHECK, CHANGED, WALKED, COMPARED];
const ORDER = [...CHECK_NAMES, ...OTHERS];
/** By how much the clocks of processes may differ. */
const SKEW_MS = 3_600_000;
/** While another process looks at a chunk, and before one that failed is tried again. */
const PAUSE_MS = 200;

interface Reading {
  readonly database: Database;
  readonly atOnce: number;
}

/** `atOnce`: rows that a chunk begins with. */
export function bookChecks(database: Database, { atOnce = AT_ONCE } = {}): BookChecks {
  const by = { database, atOnce };
  const newFaults = async (now: Date | null, stopping?: AbortSignal): Promise<Faults> => {
    const found = foundFaults(ORDER);
    // Before a walk has summed up all entries there are no sums that balances could equal.
    while (!stopping?.aborted && !(await walkState(database)).summed)
      found.add(await firstStep(by, now, stopping));
    if (stopping?.aborted) return found.all();
    found.add(named(COMPARED, await verifyNew(by)));
    found.add(await doubtedFaults(by));
    found.add(await recentFaults(by, now));
    found.add(await wrongNumbers(database, 'standing', { stopping }));
    found.add(named(BALANCES, await wrongBalances(database)));
    found.add(named(CHANGED, await changedBefore(database)));
    found.add(named(WALKED, await notWalked(database, await walkState(database), now)));
    return found.all();
  };
  return {
    newFaults,
    async walkBooks({ now, dueSince, stopping }) {
      const isDue = (state: WalkState) => isWalkDue(state, { now, dueSince });
      if (isDue(await walkState(database))) await beginWalk(database, now, isDue);
      return walked(by, { waits: false, now, stopping });
    },
    async reconciliationFaults(now = null) {
      await beginWalk(database, now);
      const found = foundFaults(ORDER);
      found.add(await walked(by, { waits: true, now }));
      found.add(await newFaults(now));
      return found.all();
    },
  };
}

/** One that is not over when the next one is due begins anew: entries are compared every night. */
function isWalkDue(
  { phase, begunAt }: WalkState,
  { now, dueSince }: { readonly now: Date; readonly dueSince: Date },
): boolean {
  if (begunAt === null) return phase === 'ended';
  return begunAt < dueSince || begunAt.getTime() > now.getTime() + SKEW_MS;
}

/**
 * Of the walk that sums up all entries for the first time; what it throws, it throws again in the
 * next run. New entries are verified meanwhile, so those that wait stay few.
 */
async function firstStep(by: Reading, now: Date | null, stopping: AbortSignal | undefined): Promise<Faults> {
  const { database, atOnce } = by;
  const isOver = ({ phase, summed }: WalkState) => phase !== 'entries' && !summed;
  const state = await walkState(database);
  if (isOver(state)) {
    await beginWalk(database, now, isOver);
    return [];
  }
  const { faults, outcome } = await stepWalk(database, state, { atOnce, now, stopping });
  if (outcome === 'lost') await Bun.sleep(PAUSE_MS);
  return [...faults, ...named(COMPARED, await verifyNew(by))];
}

/**
 * `waits`: until the walk's end, even if another process moves it on as well. A phase that fails
 * twice at one place is passed over, and thrown at the end.
 */
async function walked(
  { database, atOnce }: Reading,
  {
    waits,
    now,
    stopping,
  }: { readonly waits: boolean; readonly now: Date | null; readonly stopping?: AbortSignal | undefined },
): Promise<Faults> {
  const found = foundFaults(ORDER);
  const failures: unknown[] = [];
  let failedAt: WalkState | null = null;
  while (!stopping?.aborted) {
    const state = await walkState(database);
    const by = { atOnce, now, stopping };
    const isSecond: boolean = failedAt !== null && isSame(failedAt, state);
    const { faults, outcome } = await stepWalk(database, state, by).catch(async (error: unknown) => {
      throwIfAway(error);
      failedAt = state;
      if (!isSecond) return { faults: [], outcome: 'failed' } as const;
      failures.push(error);
      return passOver(database, state, by);
    });
    found.add(faults);
    if (outcome === 'ended' || (outcome === 'lost' && !waits)) break;
    if (outcome !== 'moved') await Bun.sleep(PAUSE_MS);
  }
  if (failures.length > 0) throw failures[0];
  return found.all();
}

/** That the database is away says nothing about what was read: the next run goes on there. */
function throwIfAway(error: unknown): void {
  if (error instanceof DatabaseUnavailable && !error.isLate) throw error;
}

/**
 * Chunk by chunk, so that a process that dies costs one. Faults are reported from the doubts. One
 * that fails twice keeps no other from being verified, and is returned.
 */
async function verifyNew(by: Reading): Promise<readonly Omit<ReconciliationFault, 'check'>[]> {
  const { database, atOnce } = by;
  const unread: string[] = [];
  const failures: Omit<ReconciliationFault, 'check'>[] = [];
  let taken: Awaited<ReturnType<typeof unverifiedEntries>>;
  do {
    taken = await unverifiedEntries(database, { except: unread, limit: atOnce });
    const entries = taken;
    await verifyChunk(database, entries)
      .catch(async (error: unknown) => {
        throwIfAway(error);
        await Bun.sleep(PAUSE_MS);
        await verifyChunk(database, entries);
      })
      .catch((error: unknown) => {
        throwIfAway(error);
        if (failures.length === UNREADABLE_MAX) throw error;
        const ids = entries.map(({ entryId }) => entryId);
        unread.push(...ids);
        const expected = `${ids.length} entries from it on are compared`;
        failures.push({ reference: ids.toSorted()[0] ?? '', expected, found: String(error) });
      });
  } while (taken.length === atOnce);
  return failures;
}

async function verifyChunk(
  database: Database,
  entries: Awaited<ReturnType<typeof unverifiedEntries>>,
): Promise<void> {
  if (entries.length === 0) return;
  const faults = await faultsAround(
    database,
    entries.map(({ entryId }) => entryId),
  );
  await database.transaction(async (on) => {
    await verifyEntries(on, entries, summedUpTo(await lockWalk(on)));
    await doubt(on, 'row', faults.map(rowOf));
  });
}

/** Looks again where a fault was. */
async function doubtedFaults({ database, atOnce }: Reading): Promise<Faults> {
  const found = foundFaults(ORDER);
  const ids = await doubted(database, 'row', DOUBTS_MAX);
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce);
    const faults = await faultsAround(database, some);
    const wrong = new Set(faults.map(rowOf));
    await doubt(database, 'row', [...wrong]);
    await resolved(
      database,
      'row',
      some.filter((id) => !wrong.has(id)),
    );
    found.add(faults);
  }
  for (const key of await doubted(database, 'block', FAULTS_MAX)) {
    const faults = await wrongCounts(database, key);
    if (faults.length === 0) await resolved(database, 'block', [key]);
    found.add(faults);
  }
  for (const key of await doubted(database, 'days', 1)) {
    const faults = await wrongDays(database);
    if (faults.length === 0) await resolved(database, 'days', [key]);
    found.add(faults);
  }
  return found.all();
}

async function recentFaults({ database, atOnce }: Reading, now: Date | null): Promise<Faults> {
  if (now === null) return [];
  const found = foundFaults(ORDER);
  const first = Math.max(0, now.getTime() - RECENT_MS)
    .toString(16)
    .padStart(12, '0')
    .padEnd(24, '0');
  for (const table of RECENT) {
    let page: readonly string[] = [];
    let after = first;
    let chunks = 0;
    do {
      page = await newerRows(database, table, { after, limit: atOnce });
      const faults = await faultsAround(database, page);
      await doubt(database, 'row', faults.map(rowOf));
      found.add(faults);
      after = page.at(-1) ?? after;
      chunks += 1;
    } while (page.length === atOnce && chunks < RECENT_CHUNKS_MAX);
  }
  return found.all();
}

function named(check: string, faults: readonly Omit<ReconciliationFault, 'check'>[]): Faults {
  return faults.map((fault) => ({ check, ...fault }));
}
