import type { RefundClaimRepository } from '../../../../src/ports/payouts/refund-claim-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function refundClaimRepository(_store: MemoryStore): RefundClaimRepository {
  return notYet('refundClaimRepository');
}
