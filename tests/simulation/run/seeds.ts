/** Histories of a run of seeds, and what they showed together. */
import { type HistoryOrder, playHistory } from '../world/history.ts';
import type { Storage } from '../world/storages.ts';
import { shown } from '../world/story.ts';

/** One history, as a part of a run tells it. */
export interface SeedResult {
  readonly seed: number;
  readonly digest: number;
  readonly steps: number;
  readonly deaths: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly broken: readonly { readonly law: string; readonly what: string }[];
}

export async function playSeed(order: HistoryOrder, storage: Storage): Promise<SeedResult> {
  await storage.empty();
  const { seed, digest, steps, deaths, faults, broken } = await playHistory(order, storage);
  return {
    ...{ seed, digest, steps, deaths, faults: Object.fromEntries(faults) },
    broken: broken.map(({ law, what }) => ({ law, what: shown(what) })),
  };
}

export interface Totals {
  readonly histories: number;
  readonly broken: number;
  readonly steps: number;
  readonly deaths: number;
  readonly faults: ReadonlyMap<string, number>;
}

export const NOTHING: Totals = { histories: 0, broken: 0, steps: 0, deaths: 0, faults: new Map() };

export function added(totals: Totals, one: SeedResult): Totals {
  const faults = new Map(totals.faults);
  for (const [kind, count] of Object.entries(one.faults)) faults.set(kind, (faults.get(kind) ?? 0) + count);
  return {
    histories: totals.histories + 1,
    broken: totals.broken + (one.broken.length > 0 ? 1 : 0),
    steps: totals.steps + one.steps,
    deaths: totals.deaths + one.deaths,
    faults,
  };
}
