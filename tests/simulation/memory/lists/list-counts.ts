/**
 * Lists in memory are counted when they are read, so nothing is ever to fold
 * (src/adapters/postgres/lists/list-counts.ts).
 */
import type { ListCountRepository } from '../../../../src/ports/repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';

export function listCountRepository(_store: MemoryStore): ListCountRepository {
  return { fold: async () => 0 };
}
