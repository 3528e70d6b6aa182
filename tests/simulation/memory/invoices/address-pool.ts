import type { AddressPool } from '../../../../src/ports/chains/address-pool.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function addressPool(_store: MemoryStore, _family: string): AddressPool {
  return notYet('addressPool');
}
