/** The contracts of payouts, and of the figures made of them, on the storage in memory. */
import { describe } from 'bun:test';
import { describePayoutRepository } from '../../../contracts/payouts/payout-repository.ts';
import { describePayoutsToSend } from '../../../contracts/payouts/payouts-to-send.ts';
import { memoryUnitOfWork } from '../memory-unit-of-work.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  const store = memoryStore();
  return { unitOfWork: memoryUnitOfWork(store), close: async () => undefined };
}

describe('memory: payouts', () => {
  describePayoutRepository('memory', open);
  describePayoutsToSend('memory', open);
});
