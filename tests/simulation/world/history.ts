/**
 * One history: the service in two workers and an API process on shared fake chains, with customers,
 * merchants, miners, operators and faults, all drawn from a seed. Then faults end, everything comes
 * to rest, and the laws are asked.
 */
import { type FaultKind, faultsOf } from './faults.ts';
import { interleaving } from './interleaving.ts';
import type { Broken } from './laws.ts';
import { openHistory } from './open-history.ts';
import { collectedErrors } from './simulated-logger.ts';
import type { Storage } from './storages.ts';
import { story } from './story.ts';

export interface HistoryOrder {
  readonly seed: number;
  /** Turns before everything comes to rest. */
  readonly turns: number;
  /** Turns that do nothing: for finding the fewest that still break a law. */
  readonly without?: ReadonlySet<number>;
  /** Of which one to three are drawn. */
  readonly chains: readonly string[];
  readonly faults: boolean;
  /** Whether the lines of the story are kept. */
  readonly told: boolean;
}

export interface Played {
  readonly seed: number;
  readonly broken: readonly Broken[];
  readonly digest: number;
  readonly steps: number;
  readonly deaths: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly story: readonly string[];
}

const START_MS = Date.UTC(2026, 5, 1, 12);
/** Turns of one seed draw apart from each other, so that those that are left keep their numbers. */
const TURN_SEEDS = 1_000_003;

/** Plays it on empty storage. */
export async function playHistory(order: HistoryOrder, storage: Storage): Promise<Played> {
  const { seed, turns, without } = order;
  const told = story({ keeps: order.told });
  const points = interleaving(seed, { story: told, startMs: START_MS });
  const faults = faultsOf(points, { story: told });
  const errors = collectedErrors();
  const history = await openHistory(order, { order: points, faults, told, errors, storage });
  if (order.faults) faults.begin();
  for (let turn = 0; turn < turns; turn += 1) {
    points.reseed(seed * TURN_SEEDS + turn);
    if (without?.has(turn) !== true) await history.turn();
  }
  points.reseed(seed * TURN_SEEDS + turns);
  faults.end();
  await history.rest();
  const broken = [...(await history.laws())];
  for (const [error, times] of errors.unexpected)
    broken.push({ law: 'no unexpected error', what: { error, times } });
  return {
    ...{ seed, broken, digest: told.digest, steps: points.steps, deaths: points.deaths },
    ...{ faults: faults.counts, story: told.lines },
  };
}
