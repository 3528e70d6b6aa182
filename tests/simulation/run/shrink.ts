/**
 * The fewest turns of a history that still break the same law: turns are left out in ever smaller
 * runs (delta debugging; Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing
 * Input"). Each turn draws from a seed of its own, so the others do as before where they can.
 */
import { type HistoryOrder, type Played, playHistory } from '../world/history.ts';
import type { Storage } from '../world/storages.ts';

export interface Shrunk {
  readonly played: Played;
  readonly turns: readonly number[];
}

/** `plays`: how many histories it may take. The last one is told. */
export async function shrink(
  order: HistoryOrder,
  storage: Storage,
  { laws, plays }: { readonly laws: ReadonlySet<string>; readonly plays: number },
): Promise<Shrunk> {
  let left = Array.from({ length: order.turns }, (_, turn) => turn);
  let played = 0;
  const play = async (turns: readonly number[], told: boolean): Promise<Played> => {
    played += 1;
    await storage.empty();
    const kept = new Set(turns);
    const without = new Set(
      Array.from({ length: order.turns }, (_, turn) => turn).filter((turn) => !kept.has(turn)),
    );
    return playHistory({ ...order, without, told }, storage);
  };
  const stillBreaks = async (turns: readonly number[]): Promise<boolean> => {
    const { broken } = await play(turns, false);
    return broken.some(({ law }) => laws.has(law));
  };
  for (
    let size = Math.ceil(left.length / 2);
    size >= 1 && played < plays;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < left.length && played < plays; ) {
      const fewer = [...left.slice(0, at), ...left.slice(at + size)];
      if (await stillBreaks(fewer)) left = fewer;
      else at += size;
    }
  }
  return { played: await play(left, true), turns: left };
}
