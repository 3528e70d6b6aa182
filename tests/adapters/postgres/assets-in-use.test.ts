/** Which assets the records name: those of a payment too that is not final yet. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { assetsInUse } from '../../../src/adapters/postgres/chains/assets-in-use.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { aDeposit, aHash, aMerchant, anInvoice, anIssuedAddress } from '../../support/builders.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('assets that records name', () => {
  let held: TestDatabase;
  beforeAll(async () => {
    held = await testDatabase();
  });
  afterAll(() => held.drop());

  test('are those of deposits on their way, which belong to no invoice', async () => {
    const merchant = aMerchant();
    const invoice = anInvoice({ merchantId: merchant.id });
    const address = anIssuedAddress({ merchantId: merchant.id, invoiceId: invoice.id });
    const block = { height: 7, hash: aHash() };
    const deposits = [
      aDeposit({ asset: 'a_ethereum', block }),
      aDeposit({ asset: 'b_ethereum', block: null }),
      aDeposit({ asset: 'c_ethereum', block, status: 'stray' }),
    ].map((deposit) => ({ ...deposit, merchantId: merchant.id, address: address.address }));
    await postgresUnitOfWork(held.database).run(async (r) => {
      await r.merchants.insert(merchant);
      await r.invoices.insert(invoice);
      await r.addresses.insert(address);
      for (const deposit of deposits) await r.deposits.insertOrLock(deposit);
    });
    const inUse = await assetsInUse(held.database);
    for (const { asset } of deposits) expect(inUse).toContain(asset);
  });
});
