import type { ChainRepository } from '../../../../src/ports/chains/chain-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function chainRepository(_store: MemoryStore): ChainRepository {
  return notYet('chainRepository');
}
