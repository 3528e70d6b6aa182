import type { AccountQueries } from '../../../../src/ports/accounts/account-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function accountQueries(_store: MemoryStore): AccountQueries {
  return notYet('accountQueries');
}
