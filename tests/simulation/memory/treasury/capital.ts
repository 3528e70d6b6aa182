import type { CapitalRepository } from '../../../../src/ports/treasury/treasury-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function capitalRepository(_store: MemoryStore): CapitalRepository {
  return notYet('capitalRepository');
}
