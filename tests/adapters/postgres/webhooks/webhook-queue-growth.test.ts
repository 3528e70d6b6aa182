/** The webhook queue on a real PostgreSQL when it grows faster than statistics follow. */
import { describe, expect, test } from 'bun:test';
import { type Database, openDatabase } from '../../../../src/adapters/postgres/client/client.ts';
import { eventsToTellAgain } from '../../../../src/adapters/postgres/webhooks/events-again.ts';
import { postgresWebhookQueue } from '../../../../src/adapters/postgres/webhooks/webhook-queue.ts';
import { anId, NOW } from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

/** Plans are kept in a session, and a pooler gives none. */
const WITHOUT_POOLER = { pooled: false };
const BEGINNING = { afterMerchant: null, within: new Map() };
const ROWS = 30_000;
const LANES = 30;

/** Rows that were read of the queue, by the lanes' index or in any other way. */
async function rowsRead(database: Database): Promise<{ lanes: number; otherwise: number }> {
  await database.query('select pg_stat_force_next_flush()');
  const [row] = await database.query<{ lanes: string; otherwise: string }>(
    `select (select idx_tup_read from pg_stat_user_indexes where indexrelname = 'webhook_queue_lanes') as lanes,
       (select seq_tup_read from pg_stat_user_tables where relname = 'webhook_queue')
         + (select idx_tup_read from pg_stat_user_indexes where indexrelname = 'webhook_queue_due') as otherwise`,
  );
  return { lanes: Number(row?.lanes), otherwise: Number(row?.otherwise) };
}

const enqueue = (database: Database, first: number, last: number, merchants: number) =>
  database.query(
    `insert into webhook_queue (delivery_id, merchant_id, sandbox, destination, due_at, attempts)
     select lpad(to_hex(n), 24, '0'), lpad(to_hex(n % $3::int), 24, '0'), true, 'https://shop.example:443', $4, 0
     from generate_series($1::int, $2::int) n`,
    [first, last, merchants, NOW],
  );

/** Some deliveries wait, and statistics stay at that. */
async function analysedWith(waiting: number, database: Database): Promise<void> {
  await database.script(
    'alter table webhook_queue drop constraint webhook_queue_delivery_id_webhook_deliveries_id_fk, set (autovacuum_enabled = off)',
  );
  await enqueue(database, 1, waiting, 1);
  await database.query('vacuum analyze webhook_queue');
}

describe.skipIf(!needs('postgres', postgresAvailable()))('the webhook queue', () => {
  test('W1: is looked through and claimed by its lanes and never read whole, though its plans were made while it was small', async () => {
    const { url, drop } = await testDatabase(WITHOUT_POOLER);
    // One connection: its plans are kept.
    const database = openDatabase({ url, poolSize: 1, logger: silentLogger });
    try {
      const queue = postgresWebhookQueue(database);
      const look = () => queue.dueLanes({ now: NOW, walk: BEGINNING, merchants: 500, lanesEach: 32 });
      const claim = async () => {
        const lanes = (await look()).lanes.map((lane) => ({ ...lane, most: 2 }));
        return queue.claim({ lanes, now: NOW, leaseSeconds: 30 });
      };
      await analysedWith(3, database);
      for (let nth = 0; nth < 8; nth += 1) await claim();
      await enqueue(database, 10, ROWS, LANES);
      const before = await rowsRead(database);
      expect((await look()).lanes).toHaveLength(LANES);
      await claim();
      const after = await rowsRead(database);
      // Some for each lane and for each delivery that was claimed, of 30,000.
      expect(after.otherwise - before.otherwise).toBeLessThan(20 * LANES);
      expect(after.lanes - before.lanes).toBeLessThan(20 * LANES);
      expect(after.lanes - before.lanes).toBeGreaterThan(LANES);
    } finally {
      await database.close();
      await drop();
    }
  });

  test('W1: is not read whole for each event of a replay in bulk, though its plan was made while it was small', async () => {
    const { url, drop } = await testDatabase(WITHOUT_POOLER);
    const database = openDatabase({ url, poolSize: 1, logger: silentLogger });
    try {
      await analysedWith(0, database);
      await database.script(
        'alter table webhook_deliveries drop constraint webhook_deliveries_invoice_id_invoices_id_fk',
      );
      const merchantId = anId();
      await database.query(
        `insert into webhook_deliveries (id, invoice_id, merchant_id, sandbox, url, body, event_seq, event_at)
         select lpad(to_hex(n), 24, '0'), $1, $1, true, null, '{}', n, $2 from generate_series(1, $3::int) n`,
        [merchantId, NOW, 500],
      );
      const wanted = { after: 0, from: null, to: null, statuses: null, undelivered: false };
      const look = () =>
        database.transaction((sql) => eventsToTellAgain(sql, { merchantId, sandbox: true }, wanted, 500));
      await database.query('set plan_cache_mode = force_generic_plan');
      await look();
      await enqueue(database, 1_000, ROWS, LANES);
      const before = await rowsRead(database);
      expect((await look()).last).toBe(500);
      expect((await rowsRead(database)).otherwise - before.otherwise).toBeLessThan(ROWS);
    } finally {
      await database.close();
      await drop();
    }
  });
});
