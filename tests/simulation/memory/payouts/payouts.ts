import type { PayoutRepository } from '../../../../src/ports/payouts/payout-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function payoutRepository(_store: MemoryStore): PayoutRepository {
  return notYet('payoutRepository');
}
