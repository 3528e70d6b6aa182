/** The contract of approvals on a real PostgreSQL, and who waits for whom. */
import { describe, test } from 'bun:test';
import { approvalQueries } from '../../../../src/adapters/postgres/accounts/approvals.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { describeApprovals } from '../../../contracts/accounts/approvals.ts';
import { anId } from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return { unitOfWork: postgresUnitOfWork(database), queries: approvalQueries(database), close: drop };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres', () => {
  describeApprovals('postgres', open);

  test('orders of one user do not wait for those of another', async () => {
    const { unitOfWork, close } = await open();
    await unitOfWork.run(async ({ approvals }) => {
      await approvals.lockUser(anId());
      await unitOfWork.run(({ approvals: others }) => others.lockUser(anId()));
    });
    await close();
  });
});
