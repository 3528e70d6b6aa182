import type { BrandRepository } from '../../../../src/ports/checkout/brand-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function brandRepository(_store: MemoryStore): BrandRepository {
  return notYet('brandRepository');
}
