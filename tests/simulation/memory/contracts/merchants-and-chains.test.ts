/** The contracts about merchants, chains and stored answers, in memory. */
import { describeMerchantRepository } from '../../../contracts/merchants/merchant-repository.ts';
import { memoryUnitOfWork } from '../memory-unit-of-work.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  const store = memoryStore();
  return { unitOfWork: memoryUnitOfWork(store), close: async () => undefined };
}
describeMerchantRepository('memory', open);
