/** The contracts about deposits and the ledger, in memory. */
import { describeCreditRequests } from '../../../contracts/console/credit-requests.ts';
import { describeDepositRepository } from '../../../contracts/deposits/deposit-repository.ts';
import { describeDepositsOfInvoices } from '../../../contracts/deposits/deposits-of-invoices.ts';
import { describeLedgerRepository } from '../../../contracts/ledger/ledger-repository.ts';
import { describeLedgerBatches } from '../../../contracts/ledger/ledger-sets.ts';
import { describeBatchFees } from '../../../contracts/treasury/batch-fees.ts';
import { describeReconciliation } from '../../../contracts/treasury/reconciliation.ts';
import { creditRequestQueries } from '../deposits/credit-requests.ts';
import { reconciliationFaults } from '../ledger/reconciliation-faults.ts';
import { memoryUnitOfWork } from '../memory-unit-of-work.ts';
import { memoryRawRows } from '../raw-rows.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  const store = memoryStore();
  return {
    unitOfWork: memoryUnitOfWork(store),
    consoleQueries: creditRequestQueries(store),
    raw: memoryRawRows(store),
    keepsSums: false,
    faults: async () => reconciliationFaults(store),
    empty: async () => store.empty(),
    close: async () => undefined,
  };
}

describeDepositRepository('memory', open);
describeDepositsOfInvoices('memory', open);
describeCreditRequests('memory', open);
describeLedgerRepository('memory', open);
describeLedgerBatches('memory', open);
describeReconciliation('memory', open);
describeBatchFees('memory', open);
