import type { ChainRecords } from '../../../../src/adapters/postgres/chains/chain-identities.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function chainRecords(_store: MemoryStore): ChainRecords {
  return notYet('chainRecords');
}
