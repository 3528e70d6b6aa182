/** A bug to plant: one change of the code. */
import type { Tier } from '../world/storages.ts';

export interface PlantedBug {
  readonly name: string;
  /** Whom it costs what, in one sentence. */
  readonly cost: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** What the run needs to find it: chains that it is about. */
  readonly chains?: string;
  /** Where it is looked for, if not in memory. */
  readonly tier?: Tier;
}
