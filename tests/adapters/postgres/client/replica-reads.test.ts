/** Reads from a real streaming replica: never older than what was acknowledged before them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Database, openDatabase, type Reads } from '../../../../src/adapters/postgres/client/client.ts';
import { replicaReads } from '../../../../src/adapters/postgres/client/replica-reads.ts';
import { postgresConsoleQueries } from '../../../../src/adapters/postgres/console/console-queries.ts';
import { postgresInvoiceWriter } from '../../../../src/adapters/postgres/invoices/invoice-writer.ts';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { postgresWebhookQueue } from '../../../../src/adapters/postgres/webhooks/webhook-queue.ts';
import { describeMerchantFigures } from '../../../contracts/console/merchant-figures.ts';
import { describeStatementQueries } from '../../../contracts/console/statement-queries.ts';
import { describeFoundRows } from '../../../contracts/lists/found-rows.ts';
import { describeLists } from '../../../contracts/lists/lists.ts';
import { ownServerAvailable } from '../../../support/postgres/postgres.ts';
import { createPostgresServer, type PostgresServer } from '../../../support/postgres/postgres-server.ts';
import { makeTemplate } from '../../../support/postgres/postgres-template.ts';
import { createReplica } from '../../../support/postgres/replica.ts';
import { type LogLine, memoryLogger } from '../../../support/runtime/memory-logger.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { until } from '../../../support/runtime/poll.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

const WHERE = 'select pg_is_in_recovery() as "onReplica", (select count(*) from written) as rows where $1';

describe.skipIf(!needs('postgres', ownServerAvailable()))('reads from a replica', () => {
  let primary: PostgresServer;
  let replica: PostgresServer;
  let template: string;
  const opened: Database[] = [];
  const open = (url: string, waitTimeoutMs = 300): Database => {
    const isReplica = waitTimeoutMs === 300;
    const queryTimeoutMs = isReplica ? 5_000 : 60_000;
    const one = { url, poolSize: 4, queryTimeoutMs, waitTimeoutMs, onReplica: isReplica };
    opened.push(openDatabase({ ...one, logger: silentLogger }));
    return opened.at(-1) as Database;
  };

  beforeAll(async () => {
    // What does not wait for its own disk reaches no replica for up to 200 ms.
    primary = await createPostgresServer({ settings: ['synchronous_commit=on'] });
    template = await makeTemplate(primary);
    replica = await createReplica(primary);
  });
  afterAll(async () => {
    for (const database of opened) await database.close(100);
    await replica.destroy();
    await primary.destroy();
  });

  describe('of one table', () => {
    let writes: Database;
    let standby: Database;
    let time = 0;
    const lines: LogLine[] = [];
    const on = (second: Database): Reads =>
      replicaReads({ primary: writes, replica: second, logger: memoryLogger(lines), now: () => time });
    let rows = 0;
    const write = async () => {
      await writes.query('insert into written values ($1)', [++rows]);
    };
    const read = async (reads: Reads) => (await reads.query(WHERE, [true]))[0];
    /** A read after a write sees it; tells whether the replica answered. */
    async function readNext(reads: Reads): Promise<unknown> {
      await write();
      const found = await read(reads);
      expect(found?.rows).toBe(String(rows));
      return found?.onReplica;
    }
    /** A machine that is busy may let the replica be late once. */
    const untilReplica = (reads: Reads) =>
      until('the replica answers', 10_000, async () => {
        time += 2_000;
        return (await readNext(reads)) === true;
      });

    beforeAll(async () => {
      writes = open(primary.url('postgres'), 4_000);
      standby = open(replica.url('postgres'));
      await writes.script('create table written (n int4)');
      await until('the replica has the table', 10_000, async () => {
        const [found] = await standby.query("select to_regclass('written') is not null as there where $1", [
          true,
        ]);
        return found?.there === true;
      });
    });

    test('a read sees every write before it, of whatever process, and the replica answers it', async () => {
      const reads = on(standby);
      const answers: unknown[] = [];
      for (let turn = 0; turn < 200; turn++) {
        time += 2_000;
        answers.push(await readNext(reads));
      }
      expect(answers).toContain(true);
      const [inSnapshot] = await reads.snapshot((sql) => sql.query(WHERE, [true]));
      expect(inSnapshot?.rows).toBe(String(rows));
      lines.length = 0;
    });

    test('the primary answers while the replica is behind, and the replica again when it is not', async () => {
      const reads = on(standby);
      await standby.query('select pg_wal_replay_pause() where $1', [true]);
      // On a busy machine it may be too slow to show that it is behind, and is asked again.
      await until('the replica is told to be behind', 10_000, async () => {
        time += 2_000;
        expect(await readNext(reads)).toBe(false);
        return lines.some(({ fields }) => fields.reason === 'behind');
      });
      expect(lines.splice(0).at(-1)).toEqual({
        level: 'warn',
        event: 'replica.unfit',
        fields: { reason: 'behind' },
      });
      expect(await readNext(reads)).toBe(false);
      expect(lines).toEqual([]);
      await standby.query('select pg_wal_replay_resume() where $1', [true]);
      await untilReplica(reads);
      expect(lines.splice(0)).toEqual([{ level: 'info', event: 'replica.fit', fields: {} }]);
    });

    test('the primary answers while the replica is away', async () => {
      const reads = on(standby);
      await replica.stop('immediate');
      expect([await readNext(reads), await readNext(reads)]).toEqual([false, false]);
      expect(lines.splice(0)).toMatchObject([
        { event: 'replica.unfit', fields: { reason: 'away', cause: expect.any(String) } },
      ]);
      await replica.start();
      await untilReplica(reads);
      expect(lines.splice(0).at(-1)).toMatchObject({ event: 'replica.fit' });
    });

    test('a role that may not see the timeline of the replica reads from the primary', async () => {
      await writes.script('create role plain login; grant select on written to plain');
      const reads = on(open(replica.url('postgres').replace('quittance@', 'plain@')));
      await until('the role is there', 10_000, async () => {
        time += 2_000;
        expect(await readNext(reads)).toBe(false);
        return lines.splice(0).some(({ fields }) => fields.reason === 'other_timeline');
      });
      await writes.script('grant pg_read_all_stats to plain');
      await untilReplica(reads);
      lines.length = 0;
    });

    test('a slow read is not repeated on the primary, which has the next ones for a time', async () => {
      const hasty = openDatabase({
        url: replica.url('postgres'),
        ...{ poolSize: 1, queryTimeoutMs: 1_000, onReplica: true, logger: silentLogger },
      });
      opened.push(hasty);
      const reads = on(hasty);
      const slow = reads.query('select pg_sleep($1)', [4]);
      expect(String(await slow.catch((error: unknown) => error))).toContain('statement timeout');
      expect(lines.splice(0)).toMatchObject([{ event: 'replica.unfit', fields: { reason: 'slow' } }]);
      expect(await readNext(reads)).toBe(false);
      await untilReplica(reads);
      lines.length = 0;
    });

    test('the primary answers when the replica says nothing', async () => {
      const never = () => new Promise<never>(() => {});
      let isLeft = false;
      const reads = replicaReads({
        primary: writes,
        replica: {
          session: (work) =>
            work({ query: never, snapshot: never }, () => {
              isLeft = true;
            }),
        },
        ...{ logger: memoryLogger(lines), now: () => time },
      });
      expect(await readNext(reads)).toBe(false);
      expect(isLeft).toBe(true);
      expect(lines.splice(0)).toMatchObject([{ event: 'replica.unfit', fields: { reason: 'slow' } }]);
    });

    test('the primary answers what finds all connections of the replica in use, and it stays fit', async () => {
      const narrow = openDatabase({
        url: replica.url('postgres'),
        ...{ poolSize: 1, waitTimeoutMs: 100, onReplica: true, logger: silentLogger },
      });
      opened.push(narrow);
      const reads = on(narrow);
      await untilReplica(reads);
      lines.length = 0;
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
      const held = narrow.session(() => {
        begin();
        return isOver;
      });
      await hasBegun;
      expect(await readNext(reads)).toBe(false);
      end();
      await held;
      expect(lines).toEqual([]);
      await untilReplica(reads);
    });

    test('a replica of another database, or of another cluster, is not read from', async () => {
      await writes.script('create database another');
      const other = openDatabase({ url: primary.url('another'), poolSize: 1, logger: silentLogger });
      await other.script('create table written (n int4)');
      const stranger = await createPostgresServer({ settings: ['synchronous_commit=on'] });
      const copy = await createReplica(stranger);
      const all = [open(replica.url('another')), open(copy.url('postgres'))];
      for (const one of all) {
        await until('it is there', 10_000, () => one.ping());
        const reads = on(one);
        await until('it is found out', 10_000, async () => {
          time += 2_000;
          expect(await readNext(reads)).toBe(false);
          return lines.splice(0).some(({ fields }) => fields.reason === 'other_database');
        });
      }
      for (const one of [other, ...all]) await one.close(100);
      await copy.destroy();
      await stranger.destroy();
    });

    test('a server that is no standby is not read from: its positions say nothing', async () => {
      const reads = on(open(primary.url('postgres')));
      await until('it is found out', 10_000, async () => {
        time += 2_000;
        expect(await readNext(reads)).toBe(false);
        return lines.splice(0).some(({ fields }) => fields.reason === 'no_standby');
      });
    });
  });

  describe('of the lists', () => {
    let made = 0;
    let answered = 0;

    async function storage() {
      const name = `copied_${++made}`;
      const administrator = open(primary.url('postgres'), 60_000);
      await administrator.query(`create database ${name} template ${template}`);
      const database = open(primary.url(name), 4_000);
      const standby = open(replica.url(name));
      await until('the replica has the database', 20_000, () => standby.ping());
      const counted: Pick<Database, 'session'> = {
        session: (work) =>
          standby.session(work).then((found) => {
            answered += 1;
            return found;
          }),
      };
      const reads = replicaReads({ primary: database, replica: counted, logger: silentLogger });
      return {
        unitOfWork: postgresUnitOfWork(database, { sendsMails: true }),
        queries: postgresQueries(database, reads, database),
        consoleQueries: postgresConsoleQueries(reads),
        webhookQueue: postgresWebhookQueue(database),
        intakes: [postgresInvoiceWriter(database)] as const,
        close: async () => undefined,
      };
    }

    describeLists('replica', storage);
    describeFoundRows('replica', storage);
    describeMerchantFigures('replica', storage);
    describeStatementQueries('replica', storage);

    test('events are read from the primary: a failover may take back what a replica shows', async () => {
      const { queries } = await storage();
      const before = answered;
      const scope = { merchantId: crypto.randomUUID(), sandbox: false };
      expect(await queries.events(scope, { after: 0, limit: 10 })).toEqual({ events: [], last: 0 });
      expect(answered).toBe(before);
    });

    test('the replica answered most of them', () => {
      expect(answered).toBeGreaterThan(100);
    });
  });
});
