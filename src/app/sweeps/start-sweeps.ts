/**
 * Starts sweeps that are planned, and goes on with those whose gas or energy is final: many
 * together. Which of them may begin is asked here, by our records and by what they cost; what they
 * order, the chain decides as well (order-sweeps.ts). A sweep that cannot go on is planned and says
 * why; others need not wait for it.
 */
import type { Sweep } from '../../domain/sweeps/sweep.ts';
import { sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import { tryTogether } from '../shared/try-together.ts';
import { changeSweeps, lockedSweeps, recordWait } from './change-sweep.ts';
import { ACTIVE_MAX, hasNoPlace, orderSweeps, type SweepStarter } from './order-sweeps.ts';
import { beginnersOf, worthOf } from './plan-sweeps.ts';
import type { StepLookups } from './sweep-needs.ts';

/** Sweeps in a transaction. */
const SET_MAX = 100;

interface Starting {
  readonly starter: SweepStarter;
  readonly lookups: StepLookups;
  /** A sweep that could not be started, though the others of its set could. */
  readonly failed: (sweep: Sweep, error: unknown) => void;
  readonly stopping: AbortSignal | undefined;
}

/**
 * Throws the first ChainUnavailable last: an asset or a wallet that the nodes cannot be asked for
 * does not stop the others.
 */
export async function startSweeps(starting: Starting, sweeps: readonly Sweep[]): Promise<void> {
  const failures: ChainUnavailable[] = [];
  for (const set of setsOf(sweeps)) {
    if (starting.stopping?.aborted) break;
    try {
      failures.push(...(await startSet(starting, set)));
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      failures.push(error);
    }
  }
  if (failures[0] !== undefined) throw failures[0];
}

/**
 * Sets of one asset, which is priced once, with at most one sweep of an address: what becomes of
 * that decides whether the next one may begin.
 */
function setsOf(sweeps: readonly Sweep[]): readonly (readonly Sweep[])[] {
  const before = new Map<string, number>();
  const turns = Map.groupBy(sweeps, ({ address }) => {
    const turn = before.get(address) ?? 0;
    before.set(address, turn + 1);
    return turn;
  });
  return [...turns.keys()]
    .toSorted((a, b) => a - b)
    .flatMap((turn) => [...Map.groupBy(turns.get(turn) ?? [], ({ asset }) => asset).values()])
    .flatMap((alike) =>
      Array.from({ length: Math.ceil(alike.length / SET_MAX) }, (_, nth) =>
        alike.slice(nth * SET_MAX, (nth + 1) * SET_MAX),
      ),
    );
}

/** Returns why the nodes' answers of some wallets cannot be relied on: those wait. */
async function startSet(
  { starter, lookups, failed, stopping }: Starting,
  set: readonly Sweep[],
): Promise<readonly ChainUnavailable[]> {
  const failures: ChainUnavailable[] = [];
  let started = 0;
  const work = async (some: readonly Sweep[]): Promise<void> => {
    const ordered = await orderSweeps(starter, some, lookups);
    started += ordered.started;
    failures.push(...ordered.failures);
  };
  const { may, room } = await mayStart({ starter, lookups, failed, stopping }, set.filter(isPlanned));
  const goOn = set.filter((sweep) => !isPlanned(sweep));
  await tryTogether(goOn, { work, failed, stopping });
  // No more than may be active are taken at a time: some of them do not begin after all.
  for (let nth = 0; nth < may.length && started < room && !stopping?.aborted; ) {
    const some = may.slice(nth, nth + room - started);
    nth += some.length;
    await tryTogether(some, { work, failed, stopping });
  }
  return failures;
}

const isPlanned = ({ status }: Sweep): boolean => status === 'planned';

/**
 * The planned sweeps of a set that may start, and how many of them may be active. What is withheld
 * or not worth it records that. Asked before the nodes are, since most planned sweeps wait. A sweep
 * may be old: its cost is compared again, unless an operator asked for it.
 */
async function mayStart(
  { starter, lookups, failed, stopping }: Starting,
  planned: readonly Sweep[],
): Promise<{ readonly may: readonly Sweep[]; readonly room: number }> {
  const { deps } = starter;
  const coverable = new Map<string, bigint>();
  let room = 0;
  const ask = async (some: readonly Sweep[]): Promise<void> => {
    const found = await askRecords(starter, some);
    room = found.room;
    for (const [id, units] of found.coverable) coverable.set(id, units);
  };
  await tryTogether(planned, { work: ask, failed, stopping });
  const free = planned.filter(({ id }) => coverable.has(id));
  const unitsOf = ({ id }: Sweep): bigint => coverable.get(id) ?? 0n;
  // One without anything to move ends, whatever it costs.
  const asked = free.filter((sweep) => !sweep.forced && unitsOf(sweep) > 0n);
  if (asked.length === 0) return { may: free, room };
  const priced = asked.map((sweep) => ({ ...sweep, units: unitsOf(sweep) }));
  const worthy = new Set((await worthOf(await lookups.costModel(), priced)).map(({ id }) => id));
  const dear = asked.filter(({ id }) => !worthy.has(id));
  const record = (some: readonly Sweep[]): Promise<void> =>
    changeSweeps(deps, some, (changes, sweep) => recordWait(changes, sweep, sweepReason('not_worth_it')));
  await tryTogether(dear, { work: record, failed, stopping });
  return { may: free.filter((sweep) => !dear.includes(sweep)), room };
}

/** By sweep of one asset that nothing keeps from starting: the units that it could move. */
function askRecords(
  { deps, on }: SweepStarter,
  expected: readonly Sweep[],
): Promise<{ readonly room: number; readonly coverable: ReadonlyMap<string, bigint> }> {
  const { chain, sender } = on;
  return lockedSweeps(deps, expected, async (repositories, locked, changes) => {
    const { sweeps } = repositories;
    const room = ACTIVE_MAX - (await sweeps.countActive(chain));
    const begin = room > 0 ? await beginnersOf(repositories, on, locked) : [];
    // Tokens need gas of the hot wallet first, as a rule.
    const isToken = begin.some(({ asset }) => asset !== sender.nativeAsset);
    if (begin.length === 0 || (isToken && (await hasNoPlace(deps, on, repositories))))
      return { room, coverable: new Map() };
    const addresses = begin.map(({ address }) => address);
    const withheld = await sweeps.withheldAmong({ chain, addresses });
    for (const sweep of begin)
      if (withheld.has(sweep.address)) recordWait(changes, sweep, sweepReason('withheld'));
    const free = begin.filter(({ address }) => !withheld.has(address));
    const found = await sweeps.coverable(free);
    return { room, coverable: new Map(free.map(({ id }) => [id, found.get(id) ?? 0n])) };
  });
}
