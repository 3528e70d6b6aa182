/** Reproducible choices for tests on random data: the same seed makes the same choices. */
export interface Seeded {
  /** 0 .. below - 1. */
  int(below: number): number;
  pick<const T>(choices: readonly [T, ...T[]]): T;
}

/** Mulberry32. */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const int = (below: number): number => next() % below;
  return { int, pick: (choices) => choices[int(choices.length)] ?? choices[0] };
}
