/** The contract of approvals on a real PostgreSQL. */
import { describe } from 'bun:test';
import { approvalQueries } from '../../../../src/adapters/postgres/accounts/approvals.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { describeApprovals } from '../../../contracts/accounts/approvals.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return { unitOfWork: postgresUnitOfWork(database), queries: approvalQueries(database), close: drop };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres', () => {
  describeApprovals('postgres', open);
});
