/**
 * Starts sweeps that are planned, and goes on with those whose gas or energy is final: many
 * together. Which of them may begin is asked here, by our records and by what they cost; what they
 * order, the chain decides as well (order-sweeps.ts). A sweep that cannot go on is planned and says
 * why; others need not wait for it.
 */
import type { Sweep } from '../../domain/sweeps/sweep.ts';
import { sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import type { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import { pastOutage } from '../shared/tolerate-outage.ts';
import { tryTogether } from '../shared/try-together.ts';
import { changeSweeps, lockedSweeps, recordWait } from './change-sweep.ts';
import { ACTIVE_MAX, orderSweeps, placesLeft, type SweepStarter } from './order-sweeps.ts';
import { beginnersOf, weigh } from './plan-sweeps.ts';
import type { StepLookups } from './sweep-needs.ts';

/**
 * Sweeps in a transaction; fewer where the nodes are asked for each of them, so that what they
 * answered first is not old by then.
 */
const SET_MAX = 100;
const ASKED_ONE_BY_ONE_MAX = 20;

interface Starting {
  readonly starter: SweepStarter;
  readonly lookups: StepLookups;
  /** A sweep that could not be started, though the others of its set could. */
  readonly failed: (sweep: Sweep, error: unknown) => void;
  readonly stopping: AbortSignal | undefined;
}

/**
 * Returns why the nodes could not be asked about an asset or a wallet: that does not stop the
 * others.
 */
export async function startSweeps(
  starting: Starting,
  sweeps: readonly Sweep[],
): Promise<readonly ChainUnavailable[]> {
  const failures: ChainUnavailable[] = [];
  const most = starting.starter.on.sender.balancesOf === undefined ? ASKED_ONE_BY_ONE_MAX : SET_MAX;
  for (const set of setsOf(sweeps, most)) {
    if (starting.stopping?.aborted) break;
    await pastOutage(failures, () => startSet(starting, set, failures));
  }
  return failures;
}

/**
 * Sets of one asset: it is priced once, and an address has no other open sweep of it. What becomes
 * of one decides whether the next one of its address may begin.
 */
function setsOf(sweeps: readonly Sweep[], most: number): readonly (readonly Sweep[])[] {
  return [...Map.groupBy(sweeps, ({ asset }) => asset).values()].flatMap((alike) =>
    Array.from({ length: Math.ceil(alike.length / most) }, (_, nth) =>
      alike.slice(nth * most, (nth + 1) * most),
    ),
  );
}

/** Adds to `failures` why some wallets cannot be asked about: those wait. */
async function startSet(
  starting: Starting,
  set: readonly Sweep[],
  failures: ChainUnavailable[],
): Promise<void> {
  const { starter, lookups, failed, stopping } = starting;
  const work = async (some: readonly Sweep[]): Promise<void> => {
    failures.push(...(await orderSweeps(starter, some, lookups)));
  };
  const goOn = set.filter((sweep) => !isPlanned(sweep));
  await tryTogether(goOn, { work, failed, stopping });
  let { may, most } = await mayStart(starting, set.filter(isPlanned), failures);
  // The nodes are asked for no more than may begin. Some of them do not begin after all.
  while (may.length > 0 && most > 0 && !stopping?.aborted) {
    const left = may.slice(most);
    await tryTogether(may.slice(0, most), { work, failed, stopping });
    ({ may, most } = await standing(starting, left));
  }
}

const isPlanned = ({ status }: Sweep): boolean => status === 'planned';

interface Standing {
  /** Those that nothing of our records keeps from starting. */
  readonly may: readonly Sweep[];
  /** By sweep of these, what it could move. */
  readonly units: ReadonlyMap<string, bigint>;
  /** How many of them may begin now. */
  readonly most: number;
}

/**
 * The planned sweeps of a set that may start. What is withheld or not worth it records that; what
 * the nodes cannot price waits. Asked
 * before the nodes are, since most planned sweeps wait. A sweep may be old: its cost is compared
 * again, unless an operator asked for it.
 */
async function mayStart(
  starting: Starting,
  planned: readonly Sweep[],
  failures: ChainUnavailable[],
): Promise<Pick<Standing, 'may' | 'most'>> {
  const {
    starter: { deps },
    lookups,
    failed,
    stopping,
  } = starting;
  const { may, units, most } = await standing(starting, planned);
  // One without anything to move ends, whatever it costs.
  const asked = may.flatMap((sweep) => {
    const its = units.get(sweep.id) ?? 0n;
    return sweep.forced || its === 0n ? [] : [{ ...sweep, units: its }];
  });
  if (asked.length === 0) return { may, most };
  const weighed = await weigh(await lookups.costModel(), asked);
  failures.push(...weighed.failures);
  const worthy = new Set(weighed.worthy.map(({ id }) => id));
  const waiting = new Set(asked.flatMap(({ id }) => (worthy.has(id) ? [] : [id])));
  const work = (some: readonly Sweep[]): Promise<void> =>
    changeSweeps(deps, some, (changes, sweep) => recordWait(changes, sweep, sweepReason('not_worth_it')));
  await tryTogether(weighed.dear, { work, failed, stopping });
  return { may: may.filter(({ id }) => !waiting.has(id)), most };
}

/** Where planned sweeps of a set stand by our records. */
async function standing(
  { starter, failed, stopping }: Starting,
  planned: readonly Sweep[],
): Promise<Standing> {
  const units = new Map<string, bigint>();
  let most = 0;
  const work = async (some: readonly Sweep[]): Promise<void> => {
    const found = await askRecords(starter, some);
    most = found.most;
    for (const [id, its] of found.units) units.set(id, its);
  };
  await tryTogether(planned, { work, failed, stopping });
  return { may: planned.filter(({ id }) => units.has(id)), units, most };
}

function askRecords(
  { deps, on }: SweepStarter,
  expected: readonly Sweep[],
): Promise<Pick<Standing, 'units' | 'most'>> {
  const { chain, sender } = on;
  return lockedSweeps(deps, expected, async (repositories, locked, changes) => {
    const { sweeps } = repositories;
    const room = ACTIVE_MAX - (await sweeps.countActive(chain));
    const begin = await beginnersOf(repositories, on, locked);
    // Tokens need gas of the hot wallet first, as a rule.
    const isToken = begin.some(({ asset }) => asset !== sender.nativeAsset);
    const most = isToken ? Math.min(room, await placesLeft(deps, on, repositories)) : room;
    if (most <= 0) return { units: new Map(), most };
    const addresses = begin.map(({ address }) => address);
    const withheld = await sweeps.withheldAmong({ chain, addresses });
    for (const sweep of begin)
      if (withheld.has(sweep.address)) recordWait(changes, sweep, sweepReason('withheld'));
    const free = begin.filter(({ address }) => !withheld.has(address));
    const found = await sweeps.coverable(free);
    return { units: new Map(free.map(({ id }) => [id, found.get(id) ?? 0n])), most };
  });
}
