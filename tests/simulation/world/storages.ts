/**
 * Where a history keeps its books. Every serial tier answers alike, so a seed has one digest there.
 */
import type { ComposedDatabase } from '../../../src/compose/database.ts';
import type { UnitOfWork } from '../../../src/ports/repositories.ts';
import type { Stage } from './acts/stage.ts';
import type { SimulatedProcess } from './interleaving.ts';
import type { Books, Broken } from './laws.ts';
import type { StorageParts } from './storage.ts';
import type { Story } from './story.ts';
import type { Witness } from './witness/witness.ts';

/** What happens in a turn. */
export interface Pace {
  /** Most acts of people and of their surroundings. */
  readonly acts: number;
  /** Fewer points than this are passed. */
  readonly points: number;
  /** Whether both workers do the same at once, also on the way to rest. */
  readonly isCrowded: boolean;
}

/** Where a call is one point. */
export const SERIAL_PACE: Pace = { acts: 1, points: 80, isCrowded: false };

export interface Storage {
  readonly pace: Pace;
  /** As that process asks it. */
  databaseOf(parts: StorageParts, process: SimulatedProcess): ComposedDatabase;
  /** As scripts ask it while no process runs. */
  readonly unitOfWork: UnitOfWork;
  readonly books: Books;
  /** Ids that people choose from, in their order. */
  readonly idsOf: Stage['idsOf'];
  /** Tells the story what each transaction changed, where the storage knows. */
  tellTo(story: Story): void;
  /** Tells what each transaction changed, where the storage knows; null: all was put back. */
  watch(saw: Witness['saw']): void;
  /** Laws that did not hold after a transaction, where that is asked; those of the first one. */
  brokenOnTheWay(): readonly Broken[];
  /**
   * A copy of all rows, as of a backup; calling it puts them back. A newer copy takes its place.
   * Nothing may be running at either.
   */
  copy(): Promise<() => Promise<void>>;
  /** Empties it for the next history. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A law of the ledger that histories do not keep: a receiver of the simulation answers 500, or is
 * killed, before it takes a webhook.
 */
export const NOT_ASKED = 'a delivery leaves the queue only when its receiver took it';

/** Named as on the command line. */
export const TIERS = ['memory', 'postgres', 'connections'] as const;
export type Tier = (typeof TIERS)[number];
