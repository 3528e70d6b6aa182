/** The contracts of accounts on a real PostgreSQL. */
import { describe } from 'bun:test';
import { accountQueries } from '../../../../src/adapters/postgres/accounts/account-queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { describeAccountRepositories } from '../../../contracts/accounts/account-repositories.ts';
import { describeSignInRepositories } from '../../../contracts/accounts/sign-in-repositories.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

async function open() {
  const { database, drop } = await testDatabase();
  const ports = { unitOfWork: postgresUnitOfWork(database), accountQueries: accountQueries(database) };
  return { ...ports, close: drop };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres accounts', () => {
  describeAccountRepositories('postgres', open);
  describeSignInRepositories('postgres', open);
});
