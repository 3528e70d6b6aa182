/** What every user of the database client relies on, against a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type Database,
  DatabaseUnavailable,
  isCheckViolation,
  isUniqueViolation,
  openDatabase,
} from '../../../../src/adapters/postgres/client/client.ts';
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import {
  isThroughPooler,
  ownServerAvailable,
  postgresAvailable,
  type TestDatabase,
  testDatabase,
} from '../../../support/postgres/postgres.ts';
import { createPostgresServer } from '../../../support/postgres/postgres-server.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the database client', () => {
  let held: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    held = await testDatabase({ migrate: false });
    database = held.database;
    await database.script(`
      create table account (
        id text primary key,
        units numeric(78,0) not null default 0,
        constraint account_not_negative check (units >= 0)
      );
    `);
  });
  afterAll(() => held.drop());

  const failureOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => null,
      (error: unknown) => error,
    );

  describe('failures', () => {
    test('violations are told by code and constraint', async () => {
      await database.query('insert into account (id) values ($1)', ['taken']);
      const duplicate = await failureOf(database.query('insert into account (id) values ($1)', ['taken']));
      expect(isUniqueViolation(duplicate)).toBe(true);
      expect(isUniqueViolation(duplicate, 'account_pkey')).toBe(true);
      expect(isUniqueViolation(duplicate, 'another')).toBe(false);
      expect(isCheckViolation(duplicate)).toBe(false);
      const negative = await failureOf(
        database.query('insert into account values ($1, $2)', ['negative', -1n]),
      );
      expect(isCheckViolation(negative, 'account_not_negative')).toBe(true);
    });

    test('a mistake in a statement is no outage', async () => {
      for (const [text, parameters] of [
        ['select * from missing where id = $1', ['x']],
        // A pooler's own refusals have the same code, and those are an outage.
        ...(isThroughPooler ? [] : ([['select $1::text, $2::text', ['too few']]] as const)),
        ['select $1::text', ['nul \u0000']],
        ['select $1::int4', ['word']],
      ] as const) {
        const error = await failureOf(database.query(text, parameters));
        expect(error).toBeInstanceOf(StatementRefused);
      }
    });

    test('a deferred violation surfaces from the commit', async () => {
      await database.script(
        'create table pair (id int4 primary key, other int4 references pair deferrable initially deferred)',
      );
      const error = await failureOf(
        database.transaction(
          async (sql) => void (await sql.query('insert into pair values ($1, $2)', [1, 2])),
        ),
      );
      expect(error).toBeInstanceOf(StatementRefused);
      expect(await database.query('select id from pair')).toEqual([]);
    });

    test('a changed table does not break statements prepared before', async () => {
      const single = openDatabase({ url: held.url, poolSize: 1, logger: silentLogger });
      await single.script('create table grows (id int4)');
      const read = () => single.query('select * from grows where id > $1', [0]);
      await read();
      await database.script('alter table grows add column name text');
      await failureOf(read());
      expect(await read()).toEqual([]);
      await single.close();
    });
  });

  describe('transactions', () => {
    test('what was written is kept together, and the result handed on', async () => {
      const result = await database.transaction(async (sql) => {
        await sql.query('insert into account values ($1, $2)', ['t1', 1]);
        await sql.query('insert into account values ($1, $2)', ['t2', 1]);
        return 'done';
      });
      expect(result).toBe('done');
      expect(
        await database.query('select id from account where id = any($1) order by id', [['t1', 't2']]),
      ).toHaveLength(2);
    });

    test('a thrown error rolls back and is passed on', async () => {
      const fault = new Error('changed my mind');
      const error = await failureOf(
        database.transaction(async (sql) => {
          await sql.query('insert into account (id) values ($1)', ['undone']);
          throw fault;
        }),
      );
      expect(error).toBe(fault);
      expect(await database.query('select id from account where id = $1', ['undone'])).toEqual([]);
    });

    test('a transaction that swallows a failed statement is not reported as committed', async () => {
      const error = await failureOf(
        database.transaction(async (sql) => {
          await sql.query('insert into account (id) values ($1)', ['swallowed']);
          await failureOf(sql.query('insert into account (id) values ($1)', ['swallowed']));
        }),
      );
      expect(String(error)).toContain('rolled back');
      expect(await database.query('select id from account where id = $1', ['swallowed'])).toEqual([]);
    });

    test('a transaction cannot be used after its end', async () => {
      const kept = await database.transaction(async (sql) => sql);
      expect(String(await failureOf(kept.query('select 1')))).toContain('has ended');
    });

    test('deadlocked transactions are repeated until both are through', async () => {
      await database.query('insert into account (id) values ($1), ($2)', ['d1', 'd2']);
      let runs = 0;
      let holding = 0;
      const bothHold = Promise.withResolvers<void>();
      const through = Promise.withResolvers<void>();
      const move = async (first: string, second: string) => {
        await database.transaction(async (sql) => {
          runs++;
          // Else it may take its first row again before the other has woken.
          if (runs > 2) await through.promise;
          await sql.query('update account set units = units + 1 where id = $1', [first]);
          holding++;
          if (holding === 2) bothHold.resolve();
          await bothHold.promise;
          await sql.query('update account set units = units + 1 where id = $1', [second]);
        });
        through.resolve();
      };
      await Promise.all([move('d1', 'd2'), move('d2', 'd1')]);
      expect(runs).toBe(3);
      expect(await database.query('select units from account where id = any($1)', [['d1', 'd2']])).toEqual([
        { units: '2' },
        { units: '2' },
      ]);
    });

    test('a transaction that loses every time gives up after six runs', async () => {
      let runs = 0;
      const error = await failureOf(
        database.transaction(async (sql) => {
          runs++;
          await sql.script(`do $$ begin raise exception using errcode = '40001'; end $$`);
        }),
      );
      expect(runs).toBe(6);
      expect((error as StatementRefused).sqlState).toBe('40001');
    });

    test('a statement alone that loses is repeated until it is through', async () => {
      await database.script(`
        create sequence losses;
        create function loses(times int8) returns int8 language plpgsql as $$ declare turn int8 = nextval('losses');
        begin
          if turn <= times then raise exception using errcode = case when turn % 2 = 0 then '40001' else '40P01' end; end if;
          return turn;
        end $$`);
      expect(await database.query('select loses($1) as turn', [3])).toEqual([{ turn: '4' }]);
      await database.script('alter sequence losses restart');
      const error = await failureOf(database.query('select loses($1)', [99]));
      expect((error as StatementRefused).sqlState).toMatch(/^40/);
      // Six runs, as of a transaction.
      expect(await database.query('select last_value from losses where $1', [true])).toEqual([
        { last_value: '6' },
      ]);
    });

    test('more callers than connections all get their turn', async () => {
      const sums = await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          database.transaction(async (sql) => (await sql.query('select $1::int4 as n', [n]))[0]?.n),
        ),
      );
      expect(sums).toEqual(Array.from({ length: 60 }, (_, n) => n));
    });
  });

  describe('deadlines', () => {
    /** It holds for opening a connection, too, which takes long on a busy machine. */
    const openHasty = () =>
      openDatabase({ url: held.url, poolSize: 1, queryTimeoutMs: 1_000, logger: silentLogger });

    test('a statement over its time is DatabaseUnavailable, and the database serves on', async () => {
      const hasty = openHasty();
      const late = await failureOf(hasty.query('select pg_sleep($1)', [2]));
      expect(late).toBeInstanceOf(DatabaseUnavailable);
      expect(late).toMatchObject({ isLate: true });
      expect(await hasty.query('select 1 as one')).toEqual([{ one: 1 }]);
      await hasty.close();
    });

    test('a transaction over its time is cut off: nothing of it is stored, and its connection is not used again', async () => {
      const hasty = openHasty();
      const session = async () => (await hasty.query('select pg_backend_pid() as pid'))[0]?.pid;
      const before = await session();
      const released = Promise.withResolvers<void>();
      let late: Promise<unknown> = Promise.resolve();
      const error = await failureOf(
        hasty.transaction(async (sql) => {
          await sql.query('insert into account (id) values ($1)', ['late']);
          await released.promise;
          late = failureOf(sql.query('insert into account (id) values ($1)', ['later']));
          await late;
        }),
      );
      expect(error).toBeInstanceOf(DatabaseUnavailable);
      expect(error).toMatchObject({ isLate: true });
      released.resolve();
      expect(await session()).not.toBe(before);
      expect(await late).toBeInstanceOf(DatabaseUnavailable);
      expect(await hasty.query('select id from account where id = any($1)', [['late', 'later']])).toEqual([]);
      await hasty.close();
    });

    test('a statement that may wait so long for a lock is refused after it, and the database is not away', async () => {
      await database.query('insert into account (id) values ($1)', ['locked']);
      const lock = (sql: Pick<Database, 'query'>) =>
        sql.query('select id from account where id = $1 for update', ['locked']);
      await database.transaction(async (sql) => {
        await lock(sql);
        const refused = await failureOf(database.transaction(lock, { lockMs: 20 }));
        expect(refused).toBeInstanceOf(StatementRefused);
        expect(refused).toMatchObject({ sqlState: '55P03' });
      });
      expect(await database.transaction(lock, { lockMs: 20 })).toEqual([{ id: 'locked' }]);
    });

    test('waiting for a connection counts', async () => {
      const narrow = openDatabase({ url: held.url, poolSize: 1, queryTimeoutMs: 300, logger: silentLogger });
      const busy = Promise.withResolvers<void>();
      const first = failureOf(narrow.transaction(() => busy.promise));
      const started = performance.now();
      expect(await failureOf(narrow.query('select 1'))).toBeInstanceOf(DatabaseUnavailable);
      expect(performance.now() - started).toBeLessThan(1_000);
      busy.resolve();
      await first;
      await narrow.close();
    });

    test('ping says false where nothing listens, within a second', async () => {
      const nowhere = openDatabase({
        url: 'postgres://nobody@127.0.0.1:1/none',
        poolSize: 1,
        logger: silentLogger,
      });
      expect(await nowhere.ping()).toBe(false);
      expect(await failureOf(nowhere.query('select 1'))).toBeInstanceOf(DatabaseUnavailable);
      await nowhere.close();
      expect(await database.ping()).toBe(true);
    });

    test('close waits for what runs and refuses what comes', async () => {
      const closing = openDatabase({ url: held.url, poolSize: 2, logger: silentLogger });
      const running = closing.query('select pg_sleep(0.1), $1::text as text', ['finished']);
      const closed = closing.close();
      expect(await failureOf(closing.query('select 1'))).toBeInstanceOf(DatabaseUnavailable);
      expect((await running)[0]?.text).toBe('finished');
      await closed;
    });
  });
});

describe.skipIf(!needs('postgres', ownServerAvailable()))('the address', () => {
  test('one URL form reaches a server by socket and by TCP with a password', async () => {
    const server = await createPostgresServer({ tcp: true });
    for (const url of [server.url('postgres'), server.tcpUrl('postgres')]) {
      const database = openDatabase({ url, poolSize: 1, logger: silentLogger });
      const [row] = await database.query('select inet_client_addr() is null as socket where $1', [true]);
      expect(row?.socket).toBe(url === server.url('postgres'));
      await database.close();
    }
    const wrong = openDatabase({
      url: server.tcpUrl('postgres').replace('only', 'not'),
      poolSize: 1,
      logger: silentLogger,
    });
    expect(await wrong.ping()).toBe(false);
    await server.destroy();
  });
});
