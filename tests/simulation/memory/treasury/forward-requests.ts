import type { ForwardRequestRepository } from '../../../../src/ports/treasury/treasury-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function forwardRequestRepository(_store: MemoryStore): ForwardRequestRepository {
  return notYet('forwardRequestRepository');
}
