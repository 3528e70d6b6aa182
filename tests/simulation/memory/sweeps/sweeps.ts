import type { SweepRepository } from '../../../../src/ports/treasury/treasury-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function sweepRepository(_store: MemoryStore): SweepRepository {
  return notYet('sweepRepository');
}
