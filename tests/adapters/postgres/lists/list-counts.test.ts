/** The counts beside the lists: exact at every moment, whoever writes, folds or loads rows, and right for the rows that an upgrade finds. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { migrate } from '../../../../src/adapters/postgres/client/migrate.ts';
import { LIST_COUNT_CHECK } from '../../../../src/adapters/postgres/lists/list-counts.ts';
import { statement } from '../../../../src/adapters/postgres/statement.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import type { UnitOfWork } from '../../../../src/ports/repositories.ts';
import { aMerchant, anInvoice, aPrice, inStatus } from '../../../support/builders.ts';
import { insertInvoiceRow } from '../../../support/invoice-rows.ts';
import { MIGRATIONS, merchantOfThen, migratedBefore } from '../../../support/postgres/migrated-before.ts';
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

test.skipIf(!needs('postgres', postgresAvailable()))(
  'W2: an upgrade counts what it finds, in all lists',
  async () => {
    const { database, drop } = await migratedBefore('0036_list_counts');
    try {
      const merchant = await merchantOfThen(database);
      const [usdt, btc] = [aPrice(), aPrice({ asset: 'btc_bitcoin' })];
      for (const [place, price] of [usdt, usdt, btc, btc, null, null].entries()) {
        const invoice = anInvoice({ merchantId: merchant.id, price });
        await insertInvoiceRow(database, { invoice, seq: place + 1, without: ['updatedAt'] });
      }
      await database.query(
        `insert into payouts (id, merchant_id, sandbox, seq, kind, status, tx_hashes, asset, address, amount_units, sent_units,
           fee_units, fee_micro_usd, fee_bearer, amount_micro_usd, reserved_micro_usd, released, created_at)
         select lpad(n::text, 24, '0'), $1, true, n, 'payout', 'pending', '{}', 'usdt_tron', 'T', 1, 1, 0, 0, 'merchant', 1, 1, false, now()
         from generate_series(1, 3) n`,
        [merchant.id],
      );
      await migrate(database, { directory: MIGRATIONS });
      expect(await FAULTS(database)).toEqual([]);
      const counted = await database.query(
        'select list, label, asset, value from list_counts order by list, asset',
      );
      expect(counted).toEqual([
        { list: 'invoices', label: 'created', asset: '', value: '2' },
        { list: 'invoices', label: 'created', asset: 'btc_bitcoin', value: '2' },
        { list: 'invoices', label: 'created', asset: 'usdt_ethereum', value: '2' },
        { list: 'payouts', label: '', asset: 'usdt_tron', value: '3' },
      ]);
    } finally {
      await drop();
    }
  },
);
