import type { FreezeRepository } from '../../../../src/ports/treasury/treasury-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function freezeRepository(_store: MemoryStore): FreezeRepository {
  return notYet('freezeRepository');
}
