import type { ListCountRepository } from '../../../../src/ports/repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function listCountRepository(_store: MemoryStore): ListCountRepository {
  return notYet('listCountRepository');
}
