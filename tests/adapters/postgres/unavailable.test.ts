/** A server that dies under load, and comes back: the short form of bench/database-stops.ts. */
import { describe, expect, test } from 'bun:test';
import { DatabaseUnavailable, openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { ownServerAvailable } from '../../support/postgres/postgres.ts';
import { createPostgresServer } from '../../support/postgres/postgres-server.ts';
import { needs } from '../../support/runtime/needs.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { openTcpRelay } from '../../support/webhooks/tcp-relay.ts';

const WORKERS = 24;
const STOPS = 4;

describe.skipIf(!needs('postgres', ownServerAvailable()))('a lost database', () => {
  test('through four immediate stops under load nothing acknowledged is lost, nothing hangs and all recovers', async () => {
    const server = await createPostgresServer({ durable: true });
    const database = openDatabase({ url: server.url('postgres'), poolSize: 12, logger: silentLogger });
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown): void => void uncaught.push(error);
    process.on('uncaughtException', onUncaught);
    process.on('unhandledRejection', onUncaught);
    await database.script('create table drill (id text primary key, pair text)');

    const acknowledged: string[] = [];
    const failures: unknown[] = [];
    let slowestMs = 0;
    let running = true;
    let recovered = new Set<number>();
    const timed = async (call: () => Promise<unknown>): Promise<boolean> => {
      const started = performance.now();
      try {
        await call();
        return true;
      } catch (error) {
        failures.push(error);
        await Bun.sleep(10);
        return false;
      } finally {
        slowestMs = Math.max(slowestMs, performance.now() - started);
      }
    };
    const worker = async (number: number): Promise<void> => {
      for (let n = 0; running; n++) {
        const id = `${number}-${n}`;
        const write = () =>
          n % 2 === 0
            ? database.query('insert into drill (id) values ($1)', [id])
            : database.transaction(async (sql) => {
                await sql.query('insert into drill (id, pair) values ($1, $2)', [id, `${id}b`]);
                await sql.query('insert into drill (id, pair) values ($1, $2)', [`${id}b`, id]);
              });
        if (!(await timed(write))) continue;
        acknowledged.push(id);
        recovered.add(number);
        await timed(() => database.query('select id from drill where id = $1', [id]));
      }
    };
    const workers = Array.from({ length: WORKERS }, (_, number) => worker(number));

    const until = async (reached: () => boolean): Promise<number> => {
      const started = performance.now();
      while (!reached() && performance.now() - started < 10_000) await Bun.sleep(5);
      return performance.now() - started;
    };
    const recoveriesMs: number[] = [];
    for (let stop = 0; stop < STOPS; stop++) {
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 200);
      await server.stop('immediate');
      expect(await database.ping()).toBe(false);
      const failed = failures.length;
      await until(() => failures.length > failed);
      recovered = new Set();
      await server.start();
      recoveriesMs.push(await until(() => recovered.size === WORKERS));
    }
    running = false;
    await Promise.all(workers);
    process.off('uncaughtException', onUncaught);
    process.off('unhandledRejection', onUncaught);

    const stored = new Set(
      (await database.query<{ id: string }>('select id from drill')).map(({ id }) => id),
    );
    const halves = await database.query(
      'select a.id from drill a left join drill b on b.id = a.pair where a.pair is not null and b.id is null',
    );
    expect(acknowledged.length).toBeGreaterThan(STOPS * 200);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(halves).toEqual([]);
    expect(failures.filter((failure) => !(failure instanceof DatabaseUnavailable))).toEqual([]);
    expect(slowestMs).toBeLessThan(5_000);
    expect(Math.max(...recoveriesMs)).toBeLessThan(5_000);
    expect(uncaught).toEqual([]);
    await database.close();
    await server.destroy();
  });

  test('a session that the server ends costs one failed call', async () => {
    const server = await createPostgresServer();
    const database = openDatabase({ url: server.url('postgres'), poolSize: 4, logger: silentLogger });
    await database.query('select 1');
    const failure = await database
      .query('select pg_terminate_backend(pg_backend_pid()) where $1', [true])
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await database.close();
    await server.destroy();
  });

  test('a lost session in the middle of a transaction is an unknown outcome and is not repeated', async () => {
    const server = await createPostgresServer();
    const database = openDatabase({ url: server.url('postgres'), poolSize: 1, logger: silentLogger });
    await database.script('create table written (id int4)');
    let runs = 0;
    const failure = await database
      .transaction(async (sql) => {
        runs++;
        await sql.query('insert into written values ($1)', [1]);
        // What the work makes of its failing statements does not turn the lost transaction into a
        // success.
        await sql
          .query('select pg_terminate_backend(pg_backend_pid()) where $1', [true])
          .catch(() => undefined);
        await sql.query('insert into written values ($1)', [2]).catch(() => undefined);
      })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
    expect(runs).toBe(1);
    expect(await database.query('select id from written')).toEqual([]);
    await database.close();
    await server.destroy();
  });

  test('a network that falls silent, refuses, or cuts answers short costs a deadline at most, and is used again', async () => {
    const server = await createPostgresServer({ tcp: true });
    const { hostname: host, port } = new URL(server.tcpUrl('postgres'));
    const relay = await openTcpRelay({ host, port: Number(port) });
    const database = openDatabase({
      url: server.tcpUrl('postgres').replace(`:${port}/`, `:${relay.port}/`),
      poolSize: 4,
      queryTimeoutMs: 500,
      logger: silentLogger,
    });
    const callers = () => Array.from({ length: 12 }, () => database.query('select $1::int4 as one', [1]));
    const outcomes = async () => new Set((await Promise.allSettled(callers())).map(({ status }) => status));
    expect(await outcomes()).toEqual(new Set(['fulfilled']));

    for (const mode of ['silent', 'truncating', 'refusing', 'silent'] as const) {
      relay.mode = mode;
      if (mode === 'refusing') relay.cut();
      const started = performance.now();
      const failures = await Promise.allSettled(callers());
      expect(performance.now() - started).toBeLessThan(2_000);
      for (const failure of failures)
        expect(failure.status === 'rejected' && failure.reason).toBeInstanceOf(DatabaseUnavailable);
      relay.mode = 'passing';
      relay.cut();
      const deadline = performance.now() + 5_000;
      while (!(await outcomes()).has('fulfilled') && performance.now() < deadline) await Bun.sleep(5);
      expect(await outcomes()).toEqual(new Set(['fulfilled']));
    }
    await database.close();
    relay.close();
    await server.destroy();
  });
});
