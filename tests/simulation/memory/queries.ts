import type { Queries } from '../../../src/ports/list-queries.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { notYet } from './store/not-yet.ts';

export function queries(_store: MemoryStore): Queries {
  return notYet('queries');
}
