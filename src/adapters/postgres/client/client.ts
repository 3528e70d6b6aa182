/**
 * The gateway's access to PostgreSQL. Every call settles within its deadlines; a lost database is
 * DatabaseUnavailable, and the first call after its return works again.
 * Results: int8 and numeric are strings (sum and count too), int4 and float8 numbers, timestamptz a
 * Date in whole milliseconds, text[], int8[] and numeric[] arrays of strings (int4[] may be an
 * Int32Array: select int8[]), bytea a Uint8Array. jsonb arrives parsed, its decimals rounded to
 * doubles: select `column::text` if they matter.
 * Parameters: see SqlParameter; JSON is passed as text with a cast, `$1::jsonb`.
 */
import type { Logger } from '../../../ports/runtime/logger.ts';
import type { Connection, TransactionLimits } from './connection.ts';
import { type ConnectionPool, openConnectionPool } from './connection-pool.ts';
import { connector } from './connector.ts';
import { parseDatabaseUrl } from './database-url.ts';
import type { SqlParameter } from './parameters.ts';
import { ConnectionsBusy, DatabaseUnavailable, DeadlineMissed, isSerializationFailure } from './pg-errors.ts';
import type { Sql, Transaction } from './sql.ts';

export { DatabaseUnavailable, isCheckViolation, isUniqueViolation } from './pg-errors.ts';

export interface Database extends Sql {
  /**
   * One transaction, READ COMMITTED. `work` may run up to 6 times: it is repeated if it lost
   * against a concurrent transaction (40001, 40P01), so all its effects must be undone by a
   * rollback. An error thrown by it rolls back. The deadline includes repetitions. After
   * DatabaseUnavailable the outcome is unknown.
   */
  transaction<T>(work: (sql: Transaction) => Promise<T>, options?: TransactionLimits): Promise<T>;
  /** Reads several statements in one snapshot (REPEATABLE READ, READ ONLY). */
  snapshot<T>(work: (sql: Sql) => Promise<T>, options?: TransactionLimits): Promise<T>;
  /**
   * Statements and snapshots on one connection, one after the other: on a second server they read
   * from the same one. All together within the deadline of a query and a quarter. `leave` closes
   * the connection, so that the next one finds another server.
   */
  session<T>(work: (on: Reads, leave: () => void) => Promise<T>): Promise<T>;
  /** Runs several statements without parameters, at most 10 minutes; one transaction by default. */
  script(text: string): Promise<void>;
  /** Whether the database answers within 1 s. Never throws. */
  ping(): Promise<boolean>;
  /**
   * Waits for running calls, at most `graceMs` (default: their deadline), and closes the
   * connections.
   */
  close(graceMs?: number): Promise<void>;
}

/** The connections that lists and reports are read from. */
export type Reads = Pick<Database, 'query' | 'snapshot'>;

export interface DatabaseOptions {
  /** See parseDatabaseUrl. */
  readonly url: string;
  /** Most connections open at a time. */
  readonly poolSize: number;
  /** Deadline of a query or transaction that has its connection. */
  readonly queryTimeoutMs?: number;
  /** Deadline of waiting for a connection; at most queryTimeoutMs. */
  readonly waitTimeoutMs?: number;
  readonly logger: Logger;
  /**
   * It is a replica's URL: of several hosts it takes a standby. replica-reads.ts reports when it is
   * lost.
   */
  readonly onReplica?: boolean;
  /** From 0 to 1: how long losers of a race pause, and the marks of sessions. */
  readonly random?: () => number;
}

const DEFAULT_QUERY_TIMEOUT_MS = 5_000;
const DEFAULT_WAIT_TIMEOUT_MS = 4_000;
const SCRIPT_TIMEOUT_MS = 600_000;
const PING_TIMEOUT_MS = 900;
const SNAPSHOT = 'begin isolation level repeatable read read only';
const REPETITIONS_MAX = 5;
const PAUSE_JITTER_MS = 16;

/** Opens no connection yet: that happens on demand. Throws on a malformed URL. */
export function openDatabase(options: DatabaseOptions): Database {
  const address = parseDatabaseUrl(options.url);
  const { random = Math.random } = options;
  const timeoutMs = options.queryTimeoutMs ?? DEFAULT_QUERY_TIMEOUT_MS;
  const waitMs = Math.min(options.waitTimeoutMs ?? DEFAULT_WAIT_TIMEOUT_MS, timeoutMs);
  const within = (runMs: number) => ({ waitMs, runMs });
  const pool: ConnectionPool<Connection> = openConnectionPool({
    size: options.poolSize,
    open: options.onReplica
      ? connector(address, timeoutMs, 'standby', random)
      : loggingChanges(options.logger, connector(address, timeoutMs, 'read-write', random)),
    failure: (reason) => new DatabaseUnavailable(reason),
    busy: (reason) => new ConnectionsBusy(reason),
    late: (reason) => new DeadlineMissed(reason),
  });

  const repeated = repeating(random);
  const transactOn = <T>(
    connection: Connection,
    mode: Parameters<Connection['begin']>[0],
    work: (sql: Transaction) => Promise<T>,
    limits?: TransactionLimits,
  ): Promise<T> => repeated(() => transact(connection, work, () => connection.begin(mode, limits)));
  const transactions =
    (mode: Parameters<Connection['begin']>[0]) =>
    <T>(work: (sql: Transaction) => Promise<T>, limits?: TransactionLimits) =>
      pool.use(within(limits?.timeoutMs ?? timeoutMs), (connection) =>
        transactOn(connection, mode, work, limits),
      );
  const queryOn = <Row extends object>(
    connection: Connection,
    text: string,
    parameters?: readonly SqlParameter[],
  ): Promise<readonly Row[]> =>
    connection.isBare
      ? transactOn(connection, 'begin', (sql) => sql.query<Row>(text, parameters))
      : repeated(() => connection.query<Row>(text, parameters));

  return {
    query: (text, parameters) =>
      pool.use(within(timeoutMs), (connection) => queryOn(connection, text, parameters)),
    transaction: transactions('begin'),
    snapshot: transactions(SNAPSHOT),
    session: (work) =>
      pool.use(within(timeoutMs + sessionSlackMs(timeoutMs)), (connection) =>
        work(
          {
            query: (text, parameters) => queryOn(connection, text, parameters),
            snapshot: (read, limits) => transactOn(connection, SNAPSHOT, read, limits),
          },
          () => connection.close(),
        ),
      ),
    script: (text) =>
      pool.use(within(SCRIPT_TIMEOUT_MS), async (connection) => {
        // A setting of a shared session would outlive this one.
        if (!address.isPooled) await connection.script('set statement_timeout = 0');
        try {
          await connection.script(text);
        } finally {
          // The next user must not inherit settings or an open transaction of the script.
          connection.close();
        }
      }),
    async ping() {
      const answer = pool
        .use(within(PING_TIMEOUT_MS), (connection) => connection.query('select 1'))
        .then(
          () => true,
          () => false,
        );
      return Promise.race([answer, Bun.sleep(PING_TIMEOUT_MS).then(() => false)]);
    },
    close: (graceMs = timeoutMs) => pool.close(graceMs),
  };
}

async function transact<T>(
  connection: Connection,
  work: (sql: Transaction) => Promise<T>,
  begin: () => Promise<void>,
): Promise<T> {
  const scope = openScope(connection);
  try {
    await begin();
    const result = await work(scope.sql);
    scope.end();
    await connection.commit();
    return result;
  } catch (error) {
    scope.end();
    // A connection whose rollback fails is unusable; after a failed commit the rollback does
    // nothing.
    await connection.script('rollback').catch(() => connection.close());
    throw error;
  }
}

/**
 * Repeats what lost against a concurrent transaction: the server undid all of it, a statement alone
 * in its own transaction included.
 */
function repeating(random: () => number): <T>(attempt: () => Promise<T>) => Promise<T> {
  return async (attempt) => {
    for (let repetition = 0; ; repetition++) {
      try {
        return await attempt();
      } catch (error) {
        if (!isSerializationFailure(error) || repetition === REPETITIONS_MAX) throw error;
        await Bun.sleep(pauseMs(repetition, random));
      }
    }
  };
}

/** Grows, and is random, so that two losers do not collide again. */
function pauseMs(repetition: number, random: () => number): number {
  return 2 ** repetition + random() * PAUSE_JITTER_MS;
}

/** For what precedes a statement that takes its whole time: its own limit must end it first. */
function sessionSlackMs(timeoutMs: number): number {
  return timeoutMs / 4;
}

/** Gives `work` the connection until the transaction ends, and nothing afterwards. */
function openScope(connection: Connection): { sql: Transaction; end(): void } {
  let ended = false;
  const whileOpen = <Result>(call: () => Promise<Result>): Promise<Result> =>
    ended ? Promise.reject(new Error('this transaction has ended')) : call();
  return {
    sql: {
      query: (text, parameters) => whileOpen(() => connection.query(text, parameters)),
      script: (text) => whileOpen(() => connection.script(text)),
    },
    end() {
      ended = true;
    },
  };
}

/** Logs when the database is lost and when it is back, but not each failure in between. */
function loggingChanges(
  logger: Logger,
  open: (onLost: () => void) => Promise<Connection>,
): (onLost: () => void) => Promise<Connection> {
  let away = false;
  return async (onLost) => {
    try {
      const connection = await open(onLost);
      if (away) logger.info('database.back');
      away = false;
      return connection;
    } catch (error) {
      if (!away) logger.error('database.away', { reason: String(error) });
      away = true;
      throw error;
    }
  };
}
