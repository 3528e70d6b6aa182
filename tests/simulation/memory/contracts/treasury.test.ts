/** The contracts about sweeps, the treasury and operators' reads, in memory. */
import { describeOperatorQueries } from '../../../contracts/lists/operator-queries.ts';
import { describeSweepRepository } from '../../../contracts/sweeps/sweep-repository.ts';
import { describeForwardRecords } from '../../../contracts/treasury/forward-records.ts';
import { describeTreasuryQueries } from '../../../contracts/treasury/treasury-queries.ts';
import { describeTreasuryRecords } from '../../../contracts/treasury/treasury-records.ts';
import { describeWalletUnits } from '../../../contracts/treasury/wallet-units.ts';
import { memoryDatabase } from '../memory-database.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  return { ...memoryDatabase(memoryStore()).ports, close: async () => undefined };
}

describeSweepRepository('memory', open);
describeForwardRecords('memory', open);
describeOperatorQueries('memory', open);
describeTreasuryQueries('memory', open);
describeTreasuryRecords('memory', open);
describeWalletUnits('memory', open);
