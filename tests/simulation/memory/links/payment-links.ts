import type { PaymentLinkRepository } from '../../../../src/ports/links/payment-link-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function paymentLinkRepository(_store: MemoryStore): PaymentLinkRepository {
  return notYet('paymentLinkRepository');
}
