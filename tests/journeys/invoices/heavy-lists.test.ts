/**
 * Lists that take their time: a merchant waits for its own only, everybody else writes and reads
 * on.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { directUrl, postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until } from '../../support/runtime/poll.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const HEAVY = '/api/v2/invoices?status=created&sort=amount';

describe.skipIf(!needs('postgres', postgresAvailable()))('heavy lists', () => {
  let it: TestService;
  let sql: SQL;
  let merchants: { id: string; sandbox: string }[];
  let other: { sandbox: string };

  beforeAll(async () => {
    it = await startTestService({});
    sql = new SQL(await directUrl(it.databaseUrl), { max: 2 });
    merchants = await Promise.all(Array.from({ length: 4 }, () => it.merchant()));
    other = await it.merchant();
  });
  afterAll(async () => {
    await sql.end();
    await it.stop();
  });

  const list = (key: string, path = HEAVY) => it.call(key, 'GET', path);
  const create = (key: string) => it.call(key, 'POST', '/api/v2/invoices', { amount: 5, asset: 'usdt_tron' });
  const sessions = async (): Promise<number[]> =>
    (
      await sql.unsafe(
        `select pid from pg_stat_activity where datname = current_database() and application_name = 'quittance'`,
      )
    )
      .map(({ pid }: { pid: number }) => pid)
      .toSorted((a: number, b: number) => a - b);
  const hanging = async (): Promise<number> =>
    (
      await sql.unsafe(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length;

  test('W2: while lists of four merchants hang, another one creates, reads and pages; theirs are refused, each as it is', async () => {
    expect((await create(other.sandbox)).status).toBe(201);
    // All connections there are, so that none is opened meanwhile.
    await Promise.all(Array.from({ length: 60 }, () => it.call(other.sandbox, 'GET', '/api/v2/balance')));
    const lock = await sql.reserve();
    // What filtered lists are counted by; whoever writes adds to another table.
    await lock.unsafe('begin; lock table list_counts in access exclusive mode');
    const asked = merchants.map(({ sandbox }) => Promise.all(Array.from({ length: 5 }, () => list(sandbox))));
    // Two of each of three merchants: the connections for lists are taken.
    await until('the lists hang', 10_000, async () => (await hanging()) === 6);
    const before = await sessions();

    const made = await Promise.all(Array.from({ length: 30 }, () => create(other.sandbox)));
    expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 201));
    const id = made[0]?.body.result.order_id;
    expect((await it.call(other.sandbox, 'GET', `/api/v2/invoices/${id}`)).status).toBe(200);

    const answers = (await Promise.all(asked)).flat();
    const codes = answers.map(({ status, body }) => `${status} ${body.error?.code}`);
    const count = (wanted: string) => codes.filter((code) => code === wanted).length;
    expect(count('429 RATE_LIMITED')).toBe(12);
    expect(count('503 LIST_TOO_SLOW')).toBeGreaterThanOrEqual(6);
    // Two wait for a connection for as long as the others may take: they get one, or are to repeat.
    expect(count('503 LIST_TOO_SLOW') + count('503 UNAVAILABLE')).toBe(8);
    for (const { headers, status } of answers)
      expect([status, Number(headers.get('retry-after'))]).toEqual([
        status,
        status === 429 ? 1 : expect.any(Number),
      ]);
    // What the server ended in time closes no connection.
    expect((await sessions()).filter((pid) => before.includes(pid))).toEqual(before);
    await lock.unsafe('rollback');
    await lock.release();

    const paged = await list(other.sandbox);
    expect([paged.status, paged.body.pagination.total, paged.body.result.length]).toEqual([200, 31, 20]);
    for (const { sandbox } of merchants)
      expect((await list(sandbox)).body).toMatchObject({ result: [], pagination: { total: 0 } });
  });
});
