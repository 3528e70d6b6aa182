/**
 * Numbers of events, for a merchant that has none yet: an older process creates merchants without
 * the counter.
 */
import { expect, test } from 'bun:test';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { aDelivery, aMerchant, anInvoice } from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const OPEN_COUNTER = `insert into counters values ($1, false, 'events', 0, to_timestamp(0))`;
const CLOSE_COUNTER = `delete from counters where merchant_id = $1 and stream = 'events'`;
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

test.skipIf(!needs('postgres', postgresAvailable()))(
  'the events of a merchant without a counter are numbered from 1 on, also of transactions at once',
  async () => {
    const { database, drop } = await testDatabase();
    const { run } = postgresUnitOfWork(database);
    const merchant = aMerchant();
    const scope = { merchantId: merchant.id, sandbox: false };
    const invoice = anInvoice(scope);
    await run(({ merchants }) => merchants.insert(merchant));
    await database.query(CLOSE_COUNTER, [merchant.id]);
    // Before, since whoever writes one holds the others back.
    await run(({ invoices }) => invoices.insert(invoice));
    const tell = (...invoiceVersions: number[]) =>
      run(async ({ webhooks }) => {
        for (const invoiceVersion of invoiceVersions)
          await webhooks.enqueue(aDelivery({ ...scope, invoiceId: invoice.id, invoiceVersion }));
      });
    // All find that there is none before one of them can open it.
    const telling = await database.transaction(async (sql) => {
      await sql.query(OPEN_COUNTER, [merchant.id]);
      const begun = [tell(1, 2), tell(3), tell(4, 5), tell(6)];
      while ((await database.query(WAITING)).length < begun.length);
      await sql.query(CLOSE_COUNTER, [merchant.id]);
      return { begun };
    });
    await Promise.all(telling.begun);
    await tell(7);
    const { events, last } = await postgresQueries(database, database).events(scope, {
      after: 0,
      limit: 100,
    });
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(last).toBe(7);
    await drop();
  },
);
