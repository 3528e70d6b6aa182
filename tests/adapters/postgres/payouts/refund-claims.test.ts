/** The contracts of refund claims, and of what is asked about payouts, on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { describePayoutsAsked } from '../../../contracts/payouts/payouts-asked.ts';
import { describeRefundClaims } from '../../../contracts/payouts/refund-claims.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return {
    unitOfWork: postgresUnitOfWork(database),
    queries: postgresQueries(database, database),
    close: drop,
  };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres refund claims', () => {
  describeRefundClaims('postgres', open);
  describePayoutsAsked('postgres', open);
});
