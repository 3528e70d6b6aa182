import type { DepositRepository } from '../../../../src/ports/deposits/deposit-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function depositRepository(_store: MemoryStore): DepositRepository {
  return notYet('depositRepository');
}
