/** Where a history keeps its books: every tier answers alike, so a seed has one digest. */
import type { ComposedDatabase } from '../../../src/compose/database.ts';
import type { Stage } from './acts/stage.ts';
import type { Books, Broken } from './laws.ts';
import type { Story } from './story.ts';

export interface Storage {
  readonly database: ComposedDatabase;
  readonly books: Books;
  /** Ids that people choose from, in their order. */
  readonly idsOf: Stage['idsOf'];
  /** Tells the story what each transaction changed, where the storage knows. */
  tellTo(story: Story): void;
  /** Laws that did not hold after a transaction, where that is asked; those of the first one. */
  brokenOnTheWay(): readonly Broken[];
  /** Empties it for the next history. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** Named as on the command line. */
export const TIERS = ['memory', 'postgres'] as const;
export type Tier = (typeof TIERS)[number];
