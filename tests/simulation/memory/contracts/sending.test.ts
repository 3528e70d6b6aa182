/** The contracts about sending, in memory. */

import { describeUnknownTransactions } from '../../../contracts/chains/unknown-transactions.ts';
import { describeOutgoingBatches } from '../../../contracts/sending/outgoing-batches.ts';
import { describeOutgoingRepository } from '../../../contracts/sending/outgoing-repository.ts';
import { describeOutgoingWallets } from '../../../contracts/sending/outgoing-wallets.ts';
import { describeUtxoRepository } from '../../../contracts/sending/utxo-repository.ts';
import { memoryUnitOfWork } from '../memory-unit-of-work.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  const store = memoryStore();
  return { unitOfWork: memoryUnitOfWork(store), close: async () => undefined };
}

describeOutgoingRepository('memory', open);
describeOutgoingBatches('memory', open);
describeOutgoingWallets('memory', open);
describeUnknownTransactions('memory', open);
describeUtxoRepository('memory', open);
