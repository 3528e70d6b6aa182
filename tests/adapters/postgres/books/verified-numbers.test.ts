/** The check of dense numbers is bounded in each statement, and a list's fault hides no other. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { wrongNumbers } from '../../../../src/adapters/postgres/books/verified-numbers.ts';
import { noteRemoved } from '../../../../src/adapters/postgres/lists/removed-numbers.ts';
import { counters } from '../../../../src/adapters/postgres/schema/merchants.ts';
import { verifiedNumbers } from '../../../../src/adapters/postgres/schema/verified.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { aMerchant, anInvoice, NOW } from '../../../support/builders.ts';
import { insertInvoiceRow } from '../../../support/postgres/invoice-rows.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { postgresRawRows } from '../../../support/postgres/raw-rows.ts';
import { needs } from '../../../support/runtime/needs.ts';

const textOf = (part: SQL): string => new PgDialect().sqlToQuery(part).sql;

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

  /** A merchant with `numbers` in its counter, whose row `seq` is there where `isThere` says so. */
  async function numbered(numbers: number, isThere: (seq: number) => boolean): Promise<string> {
    const { id: merchantId, ...merchant } = aMerchant();
    await held.database.transaction(async (on) => {
      await postgresUnitOfWork({ transaction: (work) => work(on) }).run((r) =>
        r.merchants.insert({ id: merchantId, ...merchant }),
      );
      for (let seq = 1; seq <= numbers; seq += 1)
        if (isThere(seq))
          await insertInvoiceRow(on, { invoice: anInvoice({ merchantId, createdAt: NOW }), seq });
      await on.query(
        `update counters set value = $2 where merchant_id = $1 and stream = 'invoices' and not sandbox`,
        [merchantId, numbers],
      );
    });
    return merchantId;
  }
  const remove = (merchantId: string, first: number, last: number) => {
    const range = sql`(select $1::text as merchant_id, false as sandbox, generate_series($2::bigint, $3::bigint) as seq) gone`;
    return held.database.query(textOf(noteRemoved(range)), [merchantId, first, last]);
  };
  const faultsOf = async (merchantId: string, ofList = 1_000) => {
    await held.database.query('delete from verified_numbers');
    const atOnce = { ofList, lists: 100, inAll: 10_000 };
    const found = await wrongNumbers(held.database, 'walk', { atOnce });
    return found.filter(({ reference }) => reference.startsWith(merchantId)).map((fault) => fault.found);
  };

  test('each number has a row or was removed, and never both', async () => {
    const merchantId = await numbered(12, (seq) => ![1, 5, 6, 12].includes(seq));
    expect(await faultsOf(merchantId)).toEqual(['8 rows up to 11']);
    await remove(merchantId, 1, 1);
    await remove(merchantId, 5, 6);
    expect(await faultsOf(merchantId)).toEqual(['11 rows up to 11']);
    await remove(merchantId, 12, 12);
    for (const ofList of [1, 2, 3, 5, 12, 1_000]) expect(await faultsOf(merchantId, ofList)).toEqual([]);
    // One number too many, and one too few.
    await held.database.query('delete from invoices where merchant_id = $1 and seq = 3', [merchantId]);
    expect(await faultsOf(merchantId)).toEqual(['11 rows up to 12']);
    await remove(merchantId, 4, 4);
    expect(await faultsOf(merchantId)).toEqual(['12 rows up to 12, 1 of them removed and still there']);
  });

  test('removed numbers are found in every block, at its ends too', async () => {
    const [end, all] = [16_384, 16_390];
    const left = new Set([1, end - 1, end, end + 3, all]);
    const merchantId = await numbered(all, (seq) => left.has(seq));
    await remove(merchantId, 2, end - 2);
    await remove(merchantId, end + 1, end + 2);
    await remove(merchantId, end + 4, all - 1);
    expect(await faultsOf(merchantId)).toEqual([]);
    const counted = await held.database.query<{ count: number }>(
      'select count from removed_invoices where merchant_id = $1 order by block',
      [merchantId],
    );
    expect(counted.map(({ count }) => count)).toEqual([end - 3, 4]);
  });
});
