/** The contract of the pool of derived addresses on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresAddressPool } from '../../../src/adapters/postgres/invoices/address-pool.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { describeAddressPool } from '../../contracts/invoices/address-pool.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres address pool', () => {
  describeAddressPool('postgres', async () => {
    const { database, drop } = await testDatabase();
    return {
      unitOfWork: postgresUnitOfWork(database),
      addressPool: (family) => postgresAddressPool(database, family),
      close: drop,
    };
  });
});
