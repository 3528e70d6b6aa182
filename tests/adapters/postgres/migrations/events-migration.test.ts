/** What the migrations from "events" to "finding" make of the rows that they find, and of those that an older process writes beside them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { migrate } from '../../../../src/adapters/postgres/client/migrate.ts';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { Merchant } from '../../../../src/domain/merchants/merchant.ts';
import { aDelivery, anInvoice } from '../../../support/builders.ts';
import { insertInvoiceRow } from '../../../support/invoice-rows.ts';
import { MIGRATIONS, merchantOfThen, migratedBefore } from '../../../support/postgres/migrated-before.ts';
import { postgresAvailable, type TestDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const OPEN_COUNTER = `insert into counters values ($1, false, 'events', 0, to_timestamp(0))`;
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe.skipIf(!needs('postgres', postgresAvailable()))('an upgrade from before events', () => {
  let held: TestDatabase;
  let merchant: Merchant;
  beforeAll(async () => {
    held = await migratedBefore('0047_events');
    merchant = await merchantOfThen(held.database);
    for (const [place, extra] of ['order-1', null, 'order-2', 'order-1'].entries()) {
      const invoice = anInvoice({ merchantId: merchant.id, extra });
      await insertInvoiceRow(held.database, { invoice, seq: place + 1, without: ['updatedAt'] });
    }
    await migrate(held.database, { directory: MIGRATIONS });
  });
  afterAll(() => held.drop());

  test('notes the references of the invoices that it finds', async () => {
    const kept = 'select sandbox, extra, seq from invoice_extras where merchant_id = $1 order by extra, seq';
    expect(await held.database.query(kept, [merchant.id])).toEqual([
      { sandbox: false, extra: 'order-1', seq: '1' },
      { sandbox: false, extra: 'order-1', seq: '4' },
      { sandbox: false, extra: 'order-2', seq: '3' },
    ]);
  });

  test('numbers the events of a merchant that an older process creates after it from 1 on, of transactions at once', async () => {
    const { run } = postgresUnitOfWork(held.database);
    const queries = postgresQueries(held.database, held.database);
    const scope = { merchantId: (await merchantOfThen(held.database)).id, sandbox: false };
    // Before, since whoever writes one holds the others back.
    const invoice = anInvoice(scope);
    await run(({ invoices }) => invoices.insert(invoice));
    const tell = (...invoiceVersions: number[]) =>
      run(async ({ webhooks }) => {
        for (const invoiceVersion of invoiceVersions)
          await webhooks.enqueue(aDelivery({ ...scope, invoiceId: invoice.id, invoiceVersion }));
      });
    // All find that there is none before one of them can open it.
    const telling = await held.database.transaction(async (sql) => {
      await sql.query(OPEN_COUNTER, [scope.merchantId]);
      const begun = [tell(1, 2), tell(3), tell(4, 5), tell(6)];
      while ((await held.database.query(WAITING)).length < begun.length);
      await sql.query(`delete from counters where merchant_id = $1 and stream = 'events'`, [
        scope.merchantId,
      ]);
      return { begun };
    });
    await Promise.all(telling.begun);
    await tell(7);
    const { events, last } = await queries.events(scope, { after: 0, limit: 100 });
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(last).toBe(7);
  });
});
