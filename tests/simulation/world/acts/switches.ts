/**
 * Kinds of acts that most histories lack: a seed switches each on or off, since rare acts hide what
 * others would find (Groce et al., "Swarm Testing").
 */
import type { Seeded } from '../../../support/runtime/seeded.ts';

/** One history in so many has them. */
const ONE_IN = {
  restores: 3,
  /** Nodes that show one process something else than another. */
  'nodes of one process': 3,
  clocks: 4,
  'signing switch': 4,
  'frozen addresses': 6,
  pauses: 4,
} as const;

export type Switch = keyof typeof ONE_IN;

/**
 * `isDeep`: final blocks may be replaced. Operators decide after a restore by what is final, so
 * neither comes with the other.
 */
export function drawSwitches(random: Seeded, { isDeep }: { readonly isDeep: boolean }): ReadonlySet<Switch> {
  const all = Object.entries(ONE_IN) as [Switch, number][];
  const drawn = all.filter(([, oneIn]) => random.int(oneIn) === 0).map(([name]) => name);
  return new Set(drawn.filter((name) => !isDeep || name !== 'restores'));
}
