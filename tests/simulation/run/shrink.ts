/**
 * The fewest turns of a history that still break the same law: turns are left out in ever smaller
 * runs (delta debugging; Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing
 * Input"). Each turn draws from a seed of its own, so the others do as before where they can.
 */
import { type HistoryOrder, type Played, playHistory } from '../world/history.ts';
import type { Storage } from '../world/storages.ts';

export interface Shrunk {
  /** With its story. */
  readonly played: Played;
  readonly turns: readonly number[];
}

/** `plays`: how many histories it may take. */
export async function shrink(
  order: HistoryOrder,
  storage: Storage,
  { laws, plays }: { readonly laws: ReadonlySet<string>; readonly plays: number },
): Promise<Shrunk> {
  const all = Array.from({ length: order.turns }, (_, turn) => turn);
  const play = async (turns: readonly number[], told: boolean): Promise<Played> => {
    await storage.empty();
    const kept = new Set(turns);
    const without = new Set(all.filter((turn) => !kept.has(turn)));
    return playHistory({ ...order, without, told }, storage);
  };
  const stillBreaks = async (turns: readonly number[]): Promise<boolean> =>
    (await play(turns, false)).broken.some(({ law }) => laws.has(law));
  const turns = await fewest(all, { stillBreaks, plays });
  return { played: await play(turns, true), turns };
}

/** A part of `all` that still breaks; none of it can be left out, unless plays ran out. */
export async function fewest<T>(
  all: readonly T[],
  { stillBreaks, plays }: { stillBreaks(some: readonly T[]): Promise<boolean>; readonly plays: number },
): Promise<readonly T[]> {
  let left = [...all];
  let played = 0;
  let size = Math.ceil(left.length / 2);
  while (size >= 1) {
    let isFewer = false;
    for (let at = 0; at < left.length; ) {
      if (played === plays) return left;
      played += 1;
      const fewer = [...left.slice(0, at), ...left.slice(at + size)];
      if (await stillBreaks(fewer)) {
        left = fewer;
        isFewer = true;
      } else at += size;
    }
    // What could not be left out before may be superfluous now.
    if (size === 1 && !isFewer) return left;
    size = Math.max(1, Math.floor(size / 2));
  }
  return left;
}
