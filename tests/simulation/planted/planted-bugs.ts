/**
 * Bugs to plant, each one change of the code: what simulated histories must find. A test holds
 * every `find` against the present code.
 */
import type { Tier } from '../world/storages.ts';
import { PLANTED_LOCKS } from './planted-locks.ts';

export interface PlantedBug {
  readonly name: string;
  /** Whom it costs what, in one sentence. */
  readonly cost: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Where it is looked for, if not in memory. */
  readonly tier?: Tier;
  /** What the run needs to find it: chains that it is about. */
  readonly chains?: string;
}

export const PLANTED_BUGS: readonly PlantedBug[] = [...PLANTED_LOCKS];
