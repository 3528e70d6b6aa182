/** Where a history keeps its books: both tiers answer alike, so a seed has one digest. */
import type { ComposedDatabase } from '../../../src/compose/database.ts';
import type { Stage } from './acts/stage.ts';
import type { Books } from './laws.ts';

export interface Storage {
  readonly database: ComposedDatabase;
  readonly books: Books;
  /** Ids that people choose from, in their order. */
  readonly idsOf: Stage['idsOf'];
}
