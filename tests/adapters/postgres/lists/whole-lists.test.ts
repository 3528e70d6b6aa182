/** The contract of whole lists on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { describeWholeLists } from '../../../contracts/lists/whole-lists.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

async function open() {
  const { database, drop } = await testDatabase();
  const queries = postgresQueries(database, database);
  return { unitOfWork: postgresUnitOfWork(database), queries, close: drop };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres', () => {
  describeWholeLists('postgres', open);
});
