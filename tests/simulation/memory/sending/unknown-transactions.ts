import type { UnknownTransactionRepository } from '../../../../src/ports/chains/unknown-transactions.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function unknownTransactionRepository(_store: MemoryStore): UnknownTransactionRepository {
  return notYet('unknownTransactionRepository');
}
