import type { MerchantRepository } from '../../../../src/ports/merchants/merchant-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function merchantRepository(_store: MemoryStore): MerchantRepository {
  return notYet('merchantRepository');
}
