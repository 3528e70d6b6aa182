/** Invoices that end in sets: what cannot be ended, or is locked, holds up nothing else. */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { SQL } from 'bun';
import { insertManyInvoices } from '../../support/postgres/many-invoices.ts';
import { directUrl, postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('what ends in sets', () => {
  let clock: TestClock;
  let it: TestService;
  let sql: SQL;
  let logged: ReturnType<typeof spyOn<TestService['service']['dependencies']['logger'], 'error'>>;

  beforeAll(async () => {
    clock = testClock();
    it = await startTestService({ overrides: { clock } });
    sql = new SQL(await directUrl(it.databaseUrl), { max: 2 });
    logged = spyOn(it.service.dependencies.logger, 'error');
  });
  afterEach(() => logged.mockClear());
  afterAll(async () => {
    await sql.end();
    await it.stop();
  });

  const run = () => it.run('expire-invoices');
  const many = async (merchantId: string, count: number, status: 'created' | 'partially_paid', ago = 1) =>
    insertManyInvoices(await directUrl(it.databaseUrl), {
      ...{ merchantId, count, status, expiresAt: new Date(clock.now().getTime() - ago * 1000) },
    });
  const statusesOf = async (merchantId: string): Promise<Record<string, number>> => {
    const rows: Json[] = await sql`
      select status, count(*)::int as invoices from invoices where merchant_id = ${merchantId} group by 1`;
    return Object.fromEntries(rows.map(({ status, invoices }) => [status, invoices]));
  };
  const whileLocked = async (statement: string, id: string, work: () => Promise<unknown>) => {
    const held = await sql.reserve();
    await held.unsafe('begin');
    try {
      expect(await held.unsafe(statement, [id])).not.toHaveLength(0);
      await work();
    } finally {
      await held.unsafe('rollback');
      await held.release();
    }
  };
  const failures = (): readonly { invoiceId: string; merchantId: string }[] =>
    logged.mock.calls.filter(([event]) => event === 'invoice.not_ended').map(([, fields]) => fields as never);

  test('W3: a merchant whose events somebody has locked holds up no other merchant', async () => {
    const [locked, other] = [await it.merchant(), await it.merchant()];
    // It has a counter of events, which is locked below.
    await many(locked.id, 1, 'partially_paid');
    await run();
    await many(locked.id, 10, 'partially_paid', 60);
    await many(other.id, 30, 'partially_paid');
    await many(other.id, 10, 'created');
    const EVENTS = "select from counters where merchant_id = $1 and stream = 'events' for update";
    await whileLocked(EVENTS, locked.id, run);
    expect(await statusesOf(other.id)).toEqual({ cancelled: 30, expired: 10 });
    expect(await statusesOf(locked.id)).toEqual({ cancelled: 1, partially_paid: 10 });
    expect(new Set(failures().map(({ merchantId }) => merchantId))).toEqual(new Set([locked.id]));
    expect(failures()).toHaveLength(3);
    await run();
    expect(await statusesOf(locked.id)).toEqual({ cancelled: 11 });
  });

  test('W3: an unpaid invoice whose payment somebody has locked, or that the database refuses, is passed by', async () => {
    const { id: merchantId } = await it.merchant();
    await many(merchantId, 20, 'created', 60);
    await many(merchantId, 5, 'partially_paid');
    const [dusty, refused] = await sql`
      select id from invoices where merchant_id = ${merchantId} and status = 'created' order by id limit 2`;
    await sql`
      insert into deposits (id, chain, txid, output, asset, address, units, status, first_seen_at, unexplained, merchant_id, sandbox, invoice_id)
      select substr(id, 1, 23) || 'd', 'ethereum', id, '0', asset, address_to, 7, 'arrived', now(), false, merchant_id, false, id
      from invoices where id = ${dusty.id}`;
    await sql.unsafe(
      `alter table invoices add constraint refused check (id <> '${refused.id}' or status = 'created') not valid`,
    );
    await whileLocked('select from deposits where invoice_id = $1 for update', dusty.id, run);
    expect(await statusesOf(merchantId)).toEqual({ expired: 18, created: 2, cancelled: 5 });
    expect(
      failures()
        .map(({ invoiceId }) => invoiceId)
        .toSorted(),
    ).toEqual([dusty.id, refused.id]);
    await run();
    expect(await statusesOf(merchantId)).toEqual({ expired: 19, created: 1, cancelled: 5 });
    await sql.unsafe('alter table invoices drop constraint refused');
    await run();
    expect(await statusesOf(merchantId)).toEqual({ expired: 20, cancelled: 5 });
  });
});
