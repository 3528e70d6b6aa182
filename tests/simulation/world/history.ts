/**
 * One history: the service in two workers and an API process on shared fake chains, with customers,
 * merchants, miners, operators and faults, all drawn from a seed. Then faults end, everything comes
 * to rest, and the laws are asked.
 */
import { faultsOf } from './faults.ts';
import { interleaving } from './interleaving.ts';
import type { Broken } from './laws.ts';
import { openHistory } from './open-history.ts';
import { collectedErrors } from './simulated-logger.ts';
import type { Storage } from './storages.ts';
import type { StoryLine } from './story.ts';

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
  /** How often each happened, those among the acts too. */
  readonly faults: ReadonlyMap<string, number>;
  readonly story: readonly StoryLine[];
}

const START_MS = Date.UTC(2026, 5, 1, 12);
const TURNS_LEAST = 6;
/** After the last turn, before faults end. */
const FAULTY_ROUNDS = 3;
/** Turns of one seed draw apart from each other, so that those that are left keep their numbers. */
const TURN_SEEDS = 1_000_003;

/** Plays it on empty storage. */
export async function playHistory(order: HistoryOrder, storage: Storage): Promise<Played> {
  const { seed, turns, without } = order;
  const points = interleaving(seed, { told: order.told, startMs: START_MS });
  const faults = faultsOf(points);
  const errors = collectedErrors();
  const broken: Broken[] = [];
  const acts = new Map<string, number>();
  storage.tellTo(points.story);
  try {
    const history = await openHistory(order, { order: points, faults, errors, storage, acts });
    if (order.faults) faults.begin();
    // Short histories are cheap, long ones reach further: each seed has its own.
    const length = Math.min(turns, TURNS_LEAST + points.random.int(turns));
    for (let turn = 0; turn < length; turn += 1) {
      points.reseed(seed * TURN_SEEDS + turn);
      if (without?.has(turn) !== true) await history.turn();
    }
    points.reseed(seed * TURN_SEEDS + turns);
    await history.rounds(FAULTY_ROUNDS);
    faults.end();
    await history.rest();
    broken.push(...(await history.laws()), ...storage.brokenOnTheWay());
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    broken.push({ law: 'a history can be played', what });
  }
  for (const [error, times] of errors.unexpected)
    broken.push({ law: 'no unexpected error', what: { error, times } });
  return {
    ...{ seed, broken, digest: points.story.digest, steps: points.steps, deaths: points.deaths },
    ...{ faults: new Map([...faults.counts, ...acts]), story: points.story.lines },
  };
}
