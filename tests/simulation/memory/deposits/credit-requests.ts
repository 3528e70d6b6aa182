import type { CreditRequestRepository } from '../../../../src/ports/deposits/credit-requests.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function creditRequestRepository(_store: MemoryStore): CreditRequestRepository {
  return notYet('creditRequestRepository');
}
