/** The counts beside the lists: exact at every moment, whoever writes, folds or loads rows. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { LIST_COUNT_CHECK } from '../../../../src/adapters/postgres/lists/list-counts.ts';
import { statement } from '../../../../src/adapters/postgres/statement.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import type { UnitOfWork } from '../../../../src/ports/repositories.ts';
import { aMerchant, anInvoice, aPrice, inStatus } from '../../../support/builders.ts';
import { insertInvoiceRow } from '../../../support/postgres/invoice-rows.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { seeded } from '../../../support/runtime/seeded.ts';

const FAULTS = statement({
  selects: { reference: sql<string>`reference` },
  text: (_given, select) => sql`select ${select} from (${LIST_COUNT_CHECK}) fault`,
});
const STATUSES = ['created', 'success', 'expired', 'high_risk'] as const;
const ASSETS = ['usdt_ethereum', 'btc_bitcoin'] as const;

describe.skipIf(!needs('postgres', postgresAvailable()))('counts of lists', () => {
  let held: TestDatabase;
  let unitOfWork: UnitOfWork;
  let merchantId: string;
  beforeAll(async () => {
    held = await testDatabase();
    unitOfWork = postgresUnitOfWork(held.database);
    const merchant = aMerchant();
    merchantId = merchant.id;
    await unitOfWork.run((r) => r.merchants.insert(merchant));
  });
  afterAll(() => held.drop());

  const fold = (limit = 1_000) => unitOfWork.run((r) => r.listCounts.fold(limit));
  const faults = () => FAULTS(held.database);
  const counts = async () =>
    (await held.database.query<{ value: string }>('select value from list_counts where value <> 0')).map(
      ({ value }) => Number(value),
    );

  test('W2: they are exact while invoices come and change, some in transactions that come to nothing, and two fold', async () => {
    const random = seeded(7);
    const invoices = Array.from({ length: 20 }, (_, place) =>
      anInvoice({
        merchantId,
        sandbox: place % 3 === 0,
        price: aPrice({ asset: ASSETS[place % 2] ?? '' }),
      }),
    );
    for (const invoice of invoices) await unitOfWork.run((r) => r.invoices.insert(invoice));
    let running = true;
    const change = async (own: readonly Invoice[]): Promise<void> => {
      const pickOne = () => own[random.int(own.length)] ?? anInvoice();
      for (let turn = 0; turn < 60; turn += 1) {
        const invoice = { ...pickOne(), ...inStatus(random.pick(STATUSES)) };
        await unitOfWork
          .run(async (r) => {
            await r.invoices.save(invoice);
            if (turn % 5 === 0) await r.invoices.insert(anInvoice({ merchantId }));
            if (turn % 7 === 0) throw new Error('undone');
          })
          .catch((error: unknown) => expect(String(error)).toContain('undone'));
      }
    };
    const watch = async () => {
      while (running) expect(await faults()).toEqual([]);
    };
    const foldAll = async () => {
      while (running) await fold(3);
    };
    const watching = [watch(), foldAll(), foldAll()];
    await Promise.all([change(invoices.slice(0, 10)), change(invoices.slice(10))]).finally(() => {
      running = false;
    });
    await Promise.all(watching);
    while ((await fold()) > 0);
    expect(await held.database.query('select from list_count_changes')).toEqual([]);
    expect(await faults()).toEqual([]);
    expect((await counts()).reduce((sum, count) => sum + count, 0)).toBe(20 + 2 * 10);
  });

  test('W2: rows that are loaded without triggers are counted, and those that are taken away are not any more', async () => {
    const invoice = anInvoice({ merchantId, sandbox: true });
    await held.database.transaction(async (sql) => {
      await sql.script('set local session_replication_role = replica');
      await insertInvoiceRow(sql, { invoice, seq: 1_000 });
    });
    expect(await faults()).toEqual([]);
    await held.database.query('delete from invoices where id = $1', [invoice.id]);
    expect(await faults()).toEqual([]);
    await held.database.script('truncate invoices cascade');
    expect(await faults()).toEqual([]);
    expect(await counts()).toEqual([]);
  });
});
