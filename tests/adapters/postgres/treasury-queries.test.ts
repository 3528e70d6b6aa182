/** The contract of what the treasury asks, on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresTreasuryQueries } from '../../../src/adapters/postgres/treasury/treasury-queries.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { describeTreasuryQueries, type OpenedTreasury } from '../../contracts/treasury/treasury-queries.ts';
import { describeTreasuryRecords } from '../../contracts/treasury/treasury-records.ts';
import { describeWalletUnits } from '../../contracts/treasury/wallet-units.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

async function open(): Promise<OpenedTreasury> {
  const { database, drop } = await testDatabase();
  return {
    unitOfWork: postgresUnitOfWork(database),
    treasuryQueries: postgresTreasuryQueries(database),
    close: drop,
  };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres treasury', () => {
  describeTreasuryQueries('postgres', open);
  describeTreasuryRecords('postgres', open);
  describeWalletUnits('postgres', open);
});
