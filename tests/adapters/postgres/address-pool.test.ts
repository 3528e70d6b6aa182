/**
 * The pool of derived addresses on a real PostgreSQL: whole ranges in order, or the word that they
 * are not there yet.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { postgresAddressPool } from '../../../src/adapters/postgres/invoices/address-pool.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { AddressesNotDerived } from '../../../src/ports/chains/address-pool.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the pool of derived addresses', () => {
  let it: TestDatabase;
  beforeAll(async () => {
    it = await testDatabase();
    const addresses = Array.from({ length: 300 }, (_, index) => `address ${index}`);
    await postgresUnitOfWork(it.database).run(async (r) => {
      await r.addresses.addDerived({ family: 'solana', from: 0, addresses });
      await r.addresses.addDerived({ family: 'another', from: 300, addresses: ['one more'] });
    });
  });
  afterAll(() => it.drop());

  test('gives the addresses of a range, in order', async () => {
    const pool = postgresAddressPool(it.database, 'solana');
    expect(await pool.read({ from: 0, count: 2 })).toEqual(['address 0', 'address 1']);
    expect(await pool.read({ from: 99, count: 3 })).toEqual(['address 99', 'address 100', 'address 101']);
    expect(await pool.read({ from: 44, count: 256 })).toHaveLength(256);
  });

  test('says so when a range was not derived to its end', async () => {
    const pool = postgresAddressPool(it.database, 'solana');
    for (const range of [
      { from: 299, count: 2 },
      { from: 300, count: 1 },
    ])
      await expect(pool.read(range)).rejects.toBeInstanceOf(AddressesNotDerived);
  });
});
