import type { ChainHealthRepository } from '../../../../src/ports/chains/chain-health.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function chainHealthRepository(_store: MemoryStore): ChainHealthRepository {
  return notYet('chainHealthRepository');
}
