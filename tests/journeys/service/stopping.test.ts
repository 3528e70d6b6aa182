/**
 * The service as a process, told to stop (SIGTERM) in the middle of a backlog: it ends within ten
 * seconds, and loses nothing.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { aDelivery } from '../../support/builders.ts';
import { insertManyInvoices } from '../../support/postgres/many-invoices.ts';
import { directUrl, postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until, within } from '../../support/runtime/poll.ts';
import { startServiceProcess } from '../../support/runtime/service-process.ts';
import { startTestService, TEST_MASTER_KEY, type TestService } from '../../support/test-service.ts';

/** Several steps of the expiry (app/jobs.ts). */
const INVOICES = 8_000;

describe.skipIf(!needs('postgres', postgresAvailable()))('a service that is told to stop', () => {
  let observer: TestService;
  let sql: SQL;
  let asked = 0;
  /** A receiver that takes requests and never answers. */
  const silence = Bun.serve({
    port: 0,
    fetch() {
      asked += 1;
      return new Promise<Response>(() => {});
    },
  });
  beforeAll(async () => {
    observer = await startTestService({});
    sql = new SQL(await directUrl(observer.databaseUrl), { max: 2 });
    const { id: merchantId } = await observer.merchant();
    await insertManyInvoices(await directUrl(observer.databaseUrl), {
      ...{ merchantId, count: INVOICES, status: 'created' },
      expiresAt: new Date(Date.now() - 1_000),
    });
    const [{ id: invoiceId }] = await sql.unsafe('select id from invoices limit 1');
    const url = `http://127.0.0.1:${silence.port}/hook`;
    await observer.service.dependencies.unitOfWork.run((r) =>
      r.webhooks.enqueue(aDelivery({ merchantId, invoiceId, url, dueAt: new Date(0) })),
    );
  });
  afterAll(async () => {
    await silence.stop(true);
    await sql.end();
    await observer.stop();
  });

  const start = () =>
    startServiceProcess({
      DATABASE_URL: observer.databaseUrl,
      DATA_DIR: observer.service.config.dataDir,
      MASTER_KEY: TEST_MASTER_KEY,
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    });
  const left = async (): Promise<number> =>
    (await sql.unsafe(`select count(*)::int as left from invoices where status = 'created'`))[0].left;
  const waiting = async (): Promise<boolean> =>
    (
      await sql.unsafe(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length > 0;

  test('W3: with an expiry and a receiver that hang, and thousands to come, it ends within ten seconds; the next start goes on', async () => {
    const lock = await sql.reserve();
    await lock.unsafe('begin; lock table invoices in share mode');
    const process = await start();
    await until('the expiry waits for the lock', 30_000, waiting);
    await until('the receiver is asked', 30_000, () => asked === 1);
    const code = await within('the process that was told to stop', 10_000, process.stop());
    expect([code, await process.complaints()]).toEqual([0, '']);
    const stopped = process.log.findIndex(({ event }) => event === 'service.stopping');
    expect(process.log.slice(stopped).map(({ event }) => event)).toEqual(['service.stopping']);
    await lock.unsafe('rollback');
    await lock.release();
    expect(await left()).toBe(INVOICES);

    const next = await start();
    await until('all have expired', 60_000, async () => (await left()) === 0);
    expect(await within('the process that had nothing to do', 10_000, next.stop())).toBe(0);
  });
});
