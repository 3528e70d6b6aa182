import type { PermanentAddressRepository } from '../../../../src/ports/invoices/permanent-address-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function permanentAddressRepository(_store: MemoryStore): PermanentAddressRepository {
  return notYet('permanentAddressRepository');
}
