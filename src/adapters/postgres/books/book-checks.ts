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
import { beginWalk, stepWalk } from './walk.ts';
import { lockWalk, summedUpTo, walkState } from './walk-state.ts';

const AT_ONCE = 1_000;
/** Where a fault was, at most so many places: a systematic fault shows with them. */
const DOUBTS_MAX = 5_000;
/** Rows this new are looked at even if no entry names them: they may have changed without one. */
const RECENT_MS = 7_200_000;
const BALANCES = 'balance equals the postings to the merchant';
const CHANGED = 'verified entries are what they were';
const ORDER = [...CHECK_NAMES, BALANCES, ...NUMBER_CHECKS, COUNT_CHECK, DAY_CHECK, CHANGED];

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
    // Before the first walk there are no sums that balances could equal.
    if (!(await walkState(database)).summed) {
      await beginWalk(database, now);
      found.push(...(await walked(by, { waits: true, stopping })));
    }
    if (stopping?.aborted) return inOrder(found);
    await verifyNew(by);
    found.push(...(await doubtedFaults(by)), ...(await recentFaults(by, now)));
    found.push(...(await wrongNumbers(database, 'standing')));
    found.push(...named(BALANCES, await wrongBalances(database)));
    found.push(...named(CHANGED, await changedBefore(database)));
    return inOrder(found);
  };
  return {
    newFaults,
    async walkBooks({ now, dueSince, stopping }) {
      const { phase, begunAt } = await walkState(database);
      if (phase === 'ended' && (begunAt === null || begunAt < dueSince)) await beginWalk(database, now);
      return walked(by, { waits: false, stopping });
    },
    async reconciliationFaults(now = null) {
      await beginWalk(database, now);
      const found = await walked(by, { waits: true });
      return inOrder([...found, ...(await newFaults(now))]);
    },
  };
}

/** `waits`: until the walk's end, even if another process moves it on as well. */
async function walked(
  { database, atOnce }: Reading,
  { waits, stopping }: { readonly waits: boolean; readonly stopping?: AbortSignal | undefined },
): Promise<Faults> {
  const found: ReconciliationFault[] = [];
  while (!stopping?.aborted) {
    const { faults, outcome } = await stepWalk(database, { atOnce, stopping });
    found.push(...faults);
    if (outcome === 'ended' || (outcome === 'lost' && !waits)) break;
  }
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
