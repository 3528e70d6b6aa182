import type { TreasuryQueries } from '../../../../src/ports/treasury/treasury-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function treasuryQueries(_store: MemoryStore): TreasuryQueries {
  return notYet('treasuryQueries');
}
