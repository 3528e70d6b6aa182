/**
 * Numbers by name as they were after each block: what a node with all its history can tell, and a
 * reorganisation undoes.
 */
export interface ValueHistory {
  /** After block `height`; 0 where nothing was ever written. */
  at(name: string, height: number): bigint;
  /** After block `height`, which is the newest one or a new one. */
  set(name: string, height: number, value: bigint): void;
  /** Adds to the value after every block there was. */
  addToAll(name: string, units: bigint): void;
  /** Forgets what the blocks above `height` did. */
  cut(height: number): void;
}

interface ValueAtHeight {
  readonly height: number;
  readonly value: bigint;
}

export function valueHistory(): ValueHistory {
  const histories = new Map<string, ValueAtHeight[]>();
  return {
    at: (name, height) => histories.get(name)?.findLast((entry) => entry.height <= height)?.value ?? 0n,
    set: (name, height, value) => {
      const entries = histories.get(name) ?? [];
      if (entries.at(-1)?.height === height) entries.pop();
      entries.push({ height, value });
      histories.set(name, entries);
    },
    addToAll: (name, units) => {
      const entries = histories.get(name) ?? [];
      if (entries[0]?.height !== 0) entries.unshift({ height: 0, value: 0n });
      histories.set(
        name,
        entries.map(({ height, value }) => ({ height, value: value + units })),
      );
    },
    cut: (height) => {
      for (const entries of histories.values()) while ((entries.at(-1)?.height ?? -1) > height) entries.pop();
    },
  };
}
