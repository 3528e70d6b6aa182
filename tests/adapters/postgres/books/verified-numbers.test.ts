/** The check of dense numbers is bounded in each statement, and a list's fault hides no other. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { wrongNumbers } from '../../../../src/adapters/postgres/books/verified-numbers.ts';
import { counters } from '../../../../src/adapters/postgres/schema/merchants.ts';
import { verifiedNumbers } from '../../../../src/adapters/postgres/schema/verified.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { aMerchant, anInvoice } from '../../../support/builders.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { postgresRawRows } from '../../../support/postgres/raw-rows.ts';
import { needs } from '../../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('verified numbers', () => {
  let held: TestDatabase;
  beforeAll(async () => {
    held = await testDatabase({ poolSize: 1 });
  }, 120_000);
  afterAll(() => held.drop());

  test('some numbers of some lists at a time, and all of them, whatever lists with a fault come first', async () => {
    const raw = postgresRawRows(held.database);
    const merchants: string[] = [];
    for (let each = 0; each < 5; each += 1) {
      const merchant = aMerchant();
      merchants.push(merchant.id);
      await postgresUnitOfWork(held.database).run(async (r) => {
        await r.merchants.insert(merchant);
        for (let count = 0; count < 7; count += 1)
          await r.invoices.insert(anInvoice({ merchantId: merchant.id }));
      });
    }
    merchants.sort();
    const wrong = merchants.slice(0, 3);
    await raw.change(
      counters,
      ({ merchantId, stream, value }) => wrong.includes(merchantId) && stream === 'invoices' && value > 0n,
      () => ({ value: 9n }),
    );
    let statements = 0;
    const database = {
      ...held.database,
      transaction: ((work, options) => {
        statements += 1;
        return held.database.transaction(work, options);
      }) as typeof held.database.transaction,
    };
    const faults = await wrongNumbers(database, 'standing', { atOnce: { ofList: 2, lists: 2, inAll: 2 } });
    expect(faults.map(({ reference }) => reference)).toEqual(wrong.map((id) => `${id} live`));
    expect(faults[0]).toMatchObject({ expected: '9', found: '7 rows up to 7' });
    const verified = (await raw.rows(verifiedNumbers)).filter(({ value }) => value > 0n);
    const right = new Map(verified.map(({ merchantId, value }) => [merchantId, value]));
    for (const id of wrong) right.delete(id);
    expect(right).toEqual(new Map(merchants.slice(3).map((id) => [id, 7n])));
    expect(statements).toBeGreaterThan(12);
  });
});
