import type { PayoutWriter } from '../../../../src/ports/payouts/payout-writer.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function payoutWriter(_store: MemoryStore): PayoutWriter {
  return notYet('payoutWriter');
}
