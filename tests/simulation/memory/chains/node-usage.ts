import type { NodeUsageRepository } from '../../../../src/ports/chains/node-usage.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function nodeUsageRepository(_store: MemoryStore): NodeUsageRepository {
  return notYet('nodeUsageRepository');
}
