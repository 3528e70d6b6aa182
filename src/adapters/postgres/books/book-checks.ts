/**
 * Reconciliation of the books with themselves (ports/treasury/book-checks.ts). The hourly run reads
 * new entries and what belongs to them, sums, and where a fault was. The walk (walk.ts) reads
 * everything.
 */
import type { BookChecks, ReconciliationFault } from '../../../ports/treasury/book-checks.ts';
import type { Database } from '../client/client.ts';
import { COUNT_CHECK, wrongCounts } from './count-blocks.ts';
import { DAY_CHECK, wrongDays } from './day-figures.ts';
import { changedBefore, doubt, doubted, resolved } from './doubts.ts';
import { CHECK_NAMES, FAULTS_MAX, faultsAround, rowOf } from './row-checks.ts';
import { newerRows, RECENT } from './row-phases.ts';
import { unverifiedEntries, verifyEntries, wrongBalances } from './verified-balances.ts';
import { NUMBER_CHECKS, wrongNumbers } from './verified-numbers.ts';
import { beginWalk, passOver, stepWalk } from './walk.ts';
import { lockWalk, summedUpTo, type WalkState, walkState } from './walk-state.ts';

const AT_ONCE = 1_000;
/** Where a fault was, at most so many places: a systematic fault shows with them. */
const DOUBTS_MAX = 5_000;
/** Rows this new are looked at even if no entry names them: they may have changed without one. */
const RECENT_MS = 7_200_000;
const BALANCES = 'balance equals the postings to the merchant';
const CHANGED = 'verified entries are what they were';
const WALKED = 'all rows are compared every night';
const ORDER = [...CHECK_NAMES, BALANCES, ...NUMBER_CHECKS, COUNT_CHECK, DAY_CHECK, CHANGED, WALKED];
/** Two nights: a walk that was interrupted in one ends in the next. */
const WALKED_WITHIN_MS = 172_800_000;
/** By how much the clocks of processes may differ. */
const SKEW_MS = 3_600_000;
/** While another process looks at a chunk. */
const LOST_PAUSE_MS = 200;

interface Reading {
  readonly database: Database;
  readonly atOnce: number;
}
type Faults = readonly ReconciliationFault[];

/** `atOnce`: rows that a chunk begins with. */
export function bookChecks(database: Database, { atOnce = AT_ONCE } = {}): BookChecks {
  const by = { database, atOnce };
  const newFaults = async (now: Date | null, stopping?: AbortSignal): Promise<Faults> => {
    const found: ReconciliationFault[] = [];
    // Before a walk has summed up all entries there are no sums that balances could equal.
    while (!stopping?.aborted && !(await walkState(database)).summed)
      found.push(...(await firstStep(by, now, stopping)));
    if (stopping?.aborted) return inOrder(found);
    await verifyNew(by);
    found.push(...(await doubtedFaults(by)), ...(await recentFaults(by, now)));
    found.push(...(await wrongNumbers(database, 'standing', { stopping })));
    found.push(...named(BALANCES, await wrongBalances(database)));
    found.push(...named(CHANGED, await changedBefore(database)));
    found.push(...named(WALKED, notWalked(await walkState(database), now)));
    return inOrder(found);
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
      const found = await walked(by, { waits: true, now });
      return inOrder([...found, ...(await newFaults(now))]);
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

function notWalked({ phase, failed, endedAt }: WalkState, now: Date | null) {
  if (now === null || endedAt === null) return [];
  const since = new Date(now.getTime() - WALKED_WITHIN_MS);
  if (endedAt >= since) return [];
  const [expected, found] = [`a walk that ended since ${since.toISOString()}`, endedAt.toISOString()];
  return [{ reference: failed ?? phase, expected, found }];
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
  if (outcome === 'lost') await Bun.sleep(LOST_PAUSE_MS);
  await verifyNew(by);
  return faults;
}

/**
 * `waits`: until the walk's end, even if another process moves it on as well. A phase that fails is
 * passed over, and thrown at the end.
 */
async function walked(
  { database, atOnce }: Reading,
  {
    waits,
    now,
    stopping,
  }: { readonly waits: boolean; readonly now: Date | null; readonly stopping?: AbortSignal | undefined },
): Promise<Faults> {
  const found: ReconciliationFault[] = [];
  const failures: unknown[] = [];
  while (!stopping?.aborted) {
    const state = await walkState(database);
    const by = { atOnce, now, stopping };
    const { faults, outcome } = await stepWalk(database, state, by).catch((error: unknown) => {
      failures.push(error);
      return passOver(database, state, by);
    });
    found.push(...faults);
    if (outcome === 'ended' || (outcome === 'lost' && !waits)) break;
    if (outcome === 'lost') await Bun.sleep(LOST_PAUSE_MS);
  }
  if (failures.length > 0) throw failures[0];
  return found;
}

/** Chunk by chunk, so that a process that dies costs one. Faults are reported from the doubts. */
async function verifyNew({ database, atOnce }: Reading): Promise<void> {
  let taken: Awaited<ReturnType<typeof unverifiedEntries>>;
  do {
    taken = await unverifiedEntries(database, atOnce);
    const entries = taken;
    const faults = await faultsAround(
      database,
      entries.map(({ entryId }) => entryId),
    );
    if (entries.length > 0)
      await database.transaction(async (on) => {
        await verifyEntries(on, entries, summedUpTo(await lockWalk(on)));
        await doubt(on, 'row', faults.map(rowOf));
      });
  } while (taken.length === atOnce);
}

/** Looks again where a fault was. */
async function doubtedFaults({ database, atOnce }: Reading): Promise<Faults> {
  const found: ReconciliationFault[] = [];
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
    found.push(...faults);
  }
  for (const key of await doubted(database, 'block', FAULTS_MAX)) {
    const faults = await wrongCounts(database, key);
    if (faults.length === 0) await resolved(database, 'block', [key]);
    found.push(...faults);
  }
  for (const key of await doubted(database, 'days', 1)) {
    const faults = await wrongDays(database);
    if (faults.length === 0) await resolved(database, 'days', [key]);
    found.push(...faults);
  }
  return found;
}

async function recentFaults({ database, atOnce }: Reading, now: Date | null): Promise<Faults> {
  if (now === null) return [];
  const found: ReconciliationFault[] = [];
  const first = Math.max(0, now.getTime() - RECENT_MS)
    .toString(16)
    .padStart(12, '0')
    .padEnd(24, '0');
  for (const table of RECENT) {
    let page: readonly string[] = [];
    let after = first;
    do {
      page = await newerRows(database, table, { after, limit: atOnce });
      found.push(...(await faultsAround(database, page)));
      after = page.at(-1) ?? after;
    } while (page.length === atOnce);
  }
  await doubt(database, 'row', found.map(rowOf));
  return found;
}

function named(check: string, faults: readonly Omit<ReconciliationFault, 'check'>[]): Faults {
  return faults.map((fault) => ({ check, ...fault }));
}

/** Each fault once, check by check. */
function inOrder(faults: Faults): Faults {
  const once = new Map(
    faults.map((fault) => [[fault.check, fault.reference, fault.expected, fault.found].join('\n'), fault]),
  );
  const byCheck = Map.groupBy(once.values(), ({ check }) => check);
  return ORDER.flatMap((name) =>
    (byCheck.get(name) ?? []).sort((a, b) => (a.reference < b.reference ? -1 : 1)).slice(0, FAULTS_MAX),
  );
}
