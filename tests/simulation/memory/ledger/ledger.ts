import type { LedgerRepository } from '../../../../src/ports/ledger-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function ledgerRepository(_store: MemoryStore): LedgerRepository {
  return notYet('ledgerRepository');
}
