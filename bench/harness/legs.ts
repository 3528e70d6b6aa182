/**
 * Legs of a comparison take turns (A B A B …), so that whatever else the machine does falls on all
 * of them alike.
 */
import type { Latency, Spread } from './finding.ts';
import { median, spread } from './statistics.ts';

export interface LegResult {
  /** Operations a second. */
  readonly rate: number;
  readonly latency: Latency;
}

export interface Leg<Result = LegResult> {
  readonly name: string;
  run(seconds: number): Promise<Result>;
}

export interface MeasuredLeg<Result = LegResult> {
  readonly name: string;
  readonly rounds: readonly Result[];
}

export interface Rounds {
  readonly rounds: number;
  readonly seconds: number;
}

/**
 * Runs every leg once to warm it up, unless `warmUpSeconds` is 0, and then `rounds` times in turn.
 */
export async function alternate<Result>(
  legs: readonly Leg<Result>[],
  { rounds, seconds, warmUpSeconds = 1 }: Rounds & { warmUpSeconds?: number },
): Promise<MeasuredLeg<Result>[]> {
  if (warmUpSeconds > 0) for (const leg of legs) await leg.run(warmUpSeconds);
  const results = new Map<Leg<Result>, Result[]>(legs.map((leg) => [leg, []]));
  for (let round = 0; round < rounds; round++) {
    for (const leg of legs) results.get(leg)?.push(await leg.run(seconds));
  }
  return legs.map((leg) => ({ name: leg.name, rounds: results.get(leg) ?? [] }));
}

/** How many times as fast `ours` is as `theirs`, round by round. */
export function ratio(ours: MeasuredLeg, theirs: MeasuredLeg): Spread {
  return spread(ours.rounds.map((round, index) => round.rate / (theirs.rounds[index]?.rate ?? Number.NaN)));
}

export function latencyOf(leg: MeasuredLeg): Latency {
  return {
    p50: median(leg.rounds.map((round) => round.latency.p50)),
    p99: median(leg.rounds.map((round) => round.latency.p99)),
  };
}

/** `create 4,512/s`, the median of the rounds. */
export function rateText(leg: MeasuredLeg): string {
  const rate = median(leg.rounds.map((round) => round.rate));
  return `${leg.name} ${Math.round(rate).toLocaleString('en')}/s`;
}
