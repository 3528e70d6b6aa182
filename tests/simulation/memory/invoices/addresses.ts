import type { AddressRepository } from '../../../../src/ports/invoices/address-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function addressRepository(_store: MemoryStore): AddressRepository {
  return notYet('addressRepository');
}
