/** The service behind PgBouncer in transaction mode: nothing of it relies on a session. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { type Database, openDatabase } from '../../../../src/adapters/postgres/client/client.ts';
import { parseDatabaseUrl } from '../../../../src/adapters/postgres/client/database-url.ts';
import { StatementTimedOut } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { describeInvoiceRepository } from '../../../contracts/invoices/invoice-repository.ts';
import { describeLedgerRepository } from '../../../contracts/ledger/ledger-repository.ts';
import { describePayoutRepository } from '../../../contracts/payouts/payout-repository.ts';
import { describeOutgoingRepository } from '../../../contracts/sending/outgoing-repository.ts';
import { type PgBouncer, startPgBouncer } from '../../../support/postgres/pgbouncer.ts';
import { poolerAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';
import { startTestService } from '../../../support/test-service.ts';
import { startWebhookReceiver } from '../../../support/webhooks/webhook-receiver.ts';

const SETTINGS = `select current_setting('jit') as jit, current_setting('statement_timeout') as statement,
  current_setting('idle_in_transaction_session_timeout') as idle, current_setting('TimeZone') as zone where $1`;
const IN_FORCE = { jit: 'off', statement: '4500ms', idle: '5s', zone: 'UTC' };

describe.skipIf(!needs('pgbouncer', poolerAvailable()))('behind PgBouncer', () => {
  let held: TestDatabase;
  let pooler: PgBouncer;
  const opened: Database[] = [];
  // One session behind it: whatever a transaction leaves in it, the next one meets.
  const name = () => held.url.match(/\/(test_\w+)/)?.[1] ?? '';
  const open = (url: string, queryTimeoutMs = 5_000): Database => {
    const database = openDatabase({ url, poolSize: 4, queryTimeoutMs, logger: silentLogger });
    opened.push(database);
    return database;
  };

  beforeAll(async () => {
    held = await testDatabase({ pooled: false });
    pooler = await startPgBouncer(held.url, { poolSize: 1 });
  });
  afterAll(async () => {
    for (const database of opened) await database.close();
    await pooler.stop();
    await held.drop();
  });

  test('a URL that does not name the pooler is refused, and the refusal says what to write', async () => {
    const unnamed = open(pooler.url(name()).replace('?pgbouncer=true', ''));
    expect(String(await unnamed.query('select 1').catch((error: unknown) => error))).toContain(
      'pgbouncer=true',
    );
  });

  test('a pooler that drops the settings of sessions unheard is found out, though the role has them preset', async () => {
    const { username } = parseDatabaseUrl(held.url);
    const of = `alter role "${username}" in database ${name()}`;
    await held.database.script(`${of} set jit = off; ${of} set statement_timeout = '4500ms'`);
    const lax = await startPgBouncer(held.url, {
      ...{
        poolSize: 1,
        ignored: 'jit,statement_timeout,idle_in_transaction_session_timeout,quittance.session',
      },
    });
    for (const onReplica of [false, true]) {
      const url = lax.url(name()).replace('?pgbouncer=true', '');
      const unnamed = openDatabase({ url, poolSize: 1, onReplica, logger: silentLogger });
      opened.push(unnamed);
      const refusal = await unnamed.query('select 1').catch((error: unknown) => error);
      expect(String(refusal)).toContain('pgbouncer=true');
    }
    expect(await open(lax.url(name())).query('select 1 as one')).toEqual([{ one: 1 }]);
    await held.database.script(`${of} reset all`);
    await lax.stop();
  });

  test('settings are in force in statements and transactions, and none stays in the session', async () => {
    const database = open(pooler.url(name()));
    const [inStatement] = await database.query(SETTINGS, [true]);
    expect(inStatement).toEqual(IN_FORCE);
    const [inTransaction] = await database.transaction((sql) => sql.query(SETTINGS, [true]));
    expect(inTransaction).toEqual(IN_FORCE);
    const [inSnapshot] = await database.snapshot((sql) => sql.query(SETTINGS, [true]));
    expect(inSnapshot).toEqual(IN_FORCE);
    await database.script('select 1');
    const plain = new SQL(pooler.url(name()).replace('?pgbouncer=true', ''), { prepare: false, max: 1 });
    const [left] = await plain.unsafe(SETTINGS, [true]);
    expect(left).toMatchObject({ jit: 'on', statement: '0', idle: '0' });
    await plain.close();
  });

  test('the server ends a statement over its time, and one that waits for a lock too', async () => {
    // The server's own limit comes a little before ours, on a busy machine as well.
    const hasty = open(pooler.url(name()), 1_500);
    expect(await hasty.query('select pg_sleep($1)', [10]).catch((error: unknown) => error)).toBeInstanceOf(
      StatementTimedOut,
    );
    expect(await hasty.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('clients that share a session do not meet their statements', async () => {
    const many = Array.from({ length: 6 }, () => open(pooler.url(name())));
    const sums = await Promise.all(
      Array.from({ length: 120 }, async (_, n) => {
        const [row] = await (many[n % 6] as Database).query(`select $1::int4 + ${n % 7} as n${n % 7}`, [n]);
        return row?.[`n${n % 7}`] === n + (n % 7);
      }),
    );
    expect(sums).not.toContain(false);
  });

  test('with the settings preset for the role, a single statement needs no transaction', async () => {
    const before = open(pooler.url(name()));
    expect((await before.query(SETTINGS, [true]))[0]).toEqual(IN_FORCE);
    await held.database.script(
      ['jit = off', "statement_timeout = '4s'"]
        .map((setting) => `alter database ${name()} set ${setting}`)
        .join(';'),
    );
    // The session that is there keeps what it began with.
    await held.database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name()],
    );
    const after = open(pooler.url(name()));
    await after.ping();
    expect((await after.query(SETTINGS, [true]))[0]).toMatchObject({ statement: '4s', idle: '0' });
  });
});

describe.skipIf(!needs('pgbouncer', poolerAvailable()))('repositories behind PgBouncer', () => {
  const open = async () => {
    const { database, drop } = await testDatabase({ pooled: true });
    return { unitOfWork: postgresUnitOfWork(database), close: drop };
  };
  describeInvoiceRepository('pgbouncer', open);
  describeLedgerRepository('pgbouncer', open);
  describePayoutRepository('pgbouncer', open);
  describeOutgoingRepository('pgbouncer', open);

  test('a merchant is paid, told and pays out, and its lists show it', async () => {
    const { url, drop } = await testDatabase({ pooled: true });
    const receiver = startWebhookReceiver();
    const it = await startTestService({ databaseUrl: url });
    const { sandbox } = await it.merchant();
    const ask = async (method: string, path: string, body?: unknown) =>
      (await it.call(sandbox, method, `/api/v2/${path}`, body, { 'x-uniq-id': crypto.randomUUID() })).body
        .result;
    const { order_id } = await ask('POST', 'invoices', {
      ...{ amount: 25, asset: 'usdt_tron', notify_url: receiver.url },
    });
    await ask('POST', `invoices/${order_id}/simulate`, { status: 'success' });
    await it.settle();
    const payout = await ask('POST', 'payouts', {
      ...{ address: '0x1111111111111111111111111111111111111111', amount: 3, asset: 'usdt_ethereum' },
    });
    await it.settle();
    expect(receiver.received.length).toBe(1);
    expect(await ask('GET', 'invoices?status=success')).toMatchObject([{ order_id }]);
    expect(await ask('GET', 'payouts')).toMatchObject([{ order_id: payout.order_id }]);
    expect(await it.service.dependencies.operatorQueries.reconciliationFaults()).toEqual([]);
    await it.stop();
    await receiver.stop();
    await drop();
  });
});
