/**
 * The one file that knows the PostgreSQL driver. Every call settles within its deadline; a lost database is
 * DatabaseUnavailable and the next call after its return works again. Why this driver: docs/decisions.md.
 *
 * Results: int8 and numeric are strings (as are sum and count), int4 and float8 numbers, timestamptz a Date, text[] and
 * numeric[] arrays of strings, bytea a Uint8Array. jsonb arrives parsed, its decimals rounded to doubles: select
 * `column::text` where they matter. Parameters: see SqlParameter; JSON is passed as text with a cast, `$1::jsonb`.
 */
import { SQL } from 'bun';
import type { Logger } from '../../ports/logger.ts';
import { type ConnectionPool, openConnectionPool } from './connection-pool.ts';
import { type DatabaseAddress, parseDatabaseUrl } from './database-url.ts';
import { castJsonThroughText, encodeParameter, type SqlParameter } from './parameters.ts';
import {
  DatabaseUnavailable,
  isSerializationFailure,
  meansUnavailable,
  StatementRefused,
} from './pg-errors.ts';

export { DatabaseUnavailable, isCheckViolation, isUniqueViolation } from './pg-errors.ts';

/** What repositories use. */
export interface Sql {
  /** Runs one prepared statement, `$1` .. `$n` standing for the parameters. Throws StatementRefused or DatabaseUnavailable. */
  query<Row extends object = Record<string, unknown>>(
    text: string,
    parameters?: readonly SqlParameter[],
  ): Promise<readonly Row[]>;
  /** The same with each row as an array in column order, for joins that repeat a column name. */
  rows(text: string, parameters?: readonly SqlParameter[]): Promise<readonly (readonly unknown[])[]>;
}

/** Within a transaction. Rejects once the transaction has ended. */
export interface Transaction extends Sql {
  /** Runs several statements without parameters. */
  script(text: string): Promise<void>;
}

export interface Database extends Sql {
  /**
   * One transaction, READ COMMITTED. `work` may run up to 6 times: it is repeated when it lost against a concurrent
   * transaction (40001, 40P01), so it must do nothing that a rollback does not undo. An error thrown by it rolls back.
   * The deadline covers everything, waiting and repetitions included. DatabaseUnavailable means the outcome is unknown.
   */
  transaction<T>(work: (sql: Transaction) => Promise<T>, options?: { timeoutMs?: number }): Promise<T>;
  /** Runs several statements without parameters, at most 10 minutes; one transaction unless they say otherwise. */
  script(text: string): Promise<void>;
  /** Whether the database answers within 1 s. Never throws. */
  ping(): Promise<boolean>;
  /** Waits for running calls, at most their deadline, and closes the connections. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** See parseDatabaseUrl. */
  readonly url: string;
  /** Most connections open at a time. */
  readonly poolSize: number;
  /** Deadline of a query or transaction, waiting for a connection included. */
  readonly queryTimeoutMs?: number;
  readonly logger: Logger;
}

const DEFAULT_QUERY_TIMEOUT_MS = 5_000;
const SCRIPT_TIMEOUT_MS = 600_000;
const PING_TIMEOUT_MS = 900;
const CONNECT_TIMEOUT_SECONDS = 3;
const REPETITIONS_MAX = 5;

/** Opens nothing yet: connections are made when they are needed. Throws on a malformed URL. */
export function openDatabase(options: DatabaseOptions): Database {
  const address = parseDatabaseUrl(options.url);
  const timeoutMs = options.queryTimeoutMs ?? DEFAULT_QUERY_TIMEOUT_MS;
  const pool: ConnectionPool<Connection> = openConnectionPool({
    size: options.poolSize,
    open: loggingChanges(options.logger, (onLost) => connect(address, timeoutMs, onLost)),
    failure: (reason) => new DatabaseUnavailable(reason),
  });

  return {
    query: (text, parameters) => pool.use(timeoutMs, (connection) => connection.query(text, parameters)),
    rows: (text, parameters) => pool.use(timeoutMs, (connection) => connection.rows(text, parameters)),
    transaction: (work, { timeoutMs: longer } = {}) =>
      pool.use(longer ?? timeoutMs, (connection) => transact(connection, work, longer ?? null)),
    script: (text) =>
      pool.use(SCRIPT_TIMEOUT_MS, async (connection) => {
        await connection.script('set statement_timeout = 0');
        try {
          await connection.script(text);
        } finally {
          // The next user must not inherit what the script set or left open.
          connection.close();
        }
      }),
    ping: () =>
      pool
        .use(PING_TIMEOUT_MS, (connection) => connection.query('select 1'))
        .then(
          () => true,
          () => false,
        ),
    close: () => pool.close(timeoutMs),
  };
}

/** A connection that never reconnects behind our back: once lost, everything on it rejects. */
interface Connection extends Transaction {
  /** Runs COMMIT; throws when the server rolled back instead because an earlier statement had failed. */
  commit(): Promise<void>;
  close(): void;
}

async function connect(address: DatabaseAddress, timeoutMs: number, onLost: () => void): Promise<Connection> {
  const { username, password, database, hostname, port } = address;
  const client = new SQL({
    // The URL keeps the driver from taking missing parts from DATABASE_URL; options go before PG* variables.
    url: `postgres://localhost:${port}/`,
    adapter: 'postgres',
    ...{ username, password, database, hostname, port, tls: address.sslMode },
    ...(address.socketFolder === null ? {} : { path: address.socketFolder }),
    max: 1,
    connectionTimeout: CONNECT_TIMEOUT_SECONDS,
    connection: {
      application_name: 'quittance',
      TimeZone: 'UTC',
      // JIT turned queries of 0.3 ms into 32 to 50 ms.
      jit: 'off',
      statement_timeout: serverTimeoutMs(timeoutMs),
      idle_in_transaction_session_timeout: timeoutMs,
    },
    onclose: onLost,
  });
  const close = (): void => {
    client.close({ timeout: 0 }).catch(() => undefined);
  };
  const held = await client.reserve().catch((error: unknown) => {
    close();
    throw new DatabaseUnavailable(`cannot connect: ${messageOf(error)}`, { cause: error });
  });

  const settle = async <Result>(text: string, start: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await start();
      refuseJsonParameters(result, text);
      return result;
    } catch (error) {
      const sqlState = sqlStateOf(error);
      const failure = translate(error, text);
      const unusable = failure instanceof DatabaseUnavailable && sqlState !== STATEMENT_TIMEOUT;
      if (unusable || (sqlState !== null && STALE_STATEMENT.has(sqlState))) connection.close();
      throw failure;
    }
  };
  const prepare = (text: string, parameters: readonly SqlParameter[] = []) =>
    held.unsafe(castJsonThroughText(text), parameters.map(encodeParameter));
  const connection: Connection = {
    query: (text, parameters) => settle(text, () => prepare(text, parameters)),
    rows: (text, parameters) => settle(text, () => prepare(text, parameters).values()),
    async script(text) {
      await settle(text, () => held.unsafe(text).simple());
    },
    async commit() {
      const { command } = await settle('commit', () => held.unsafe('commit'));
      if (command !== 'COMMIT')
        throw new Error('a transaction went on after a failed statement and was rolled back');
    },
    close() {
      onLost();
      held.close({ timeout: 0 }).catch(() => undefined);
      close();
    },
  };
  return connection;
}

async function transact<T>(
  connection: Connection,
  work: (sql: Transaction) => Promise<T>,
  timeoutMs: number | null,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const scope = openScope(connection);
    try {
      await connection.script(
        timeoutMs === null ? 'begin' : `begin; set local statement_timeout = ${serverTimeoutMs(timeoutMs)}`,
      );
      const result = await work(scope.sql);
      scope.end();
      await connection.commit();
      return result;
    } catch (error) {
      scope.end();
      // A connection whose rollback fails is of no use; after a failed commit the rollback does nothing.
      await connection.script('rollback').catch(() => connection.close());
      if (!isSerializationFailure(error) || attempt === REPETITIONS_MAX) throw error;
      await Bun.sleep(pauseMs(attempt));
    }
  }
}

let pauses = 0;
/** Grows with the attempt and differs between neighbours, so that two losers do not meet again. */
function pauseMs(attempt: number): number {
  pauses = (pauses + 7) % 16;
  return 2 ** attempt + pauses;
}

/** What `work` gets: the connection until the transaction ends, and nothing afterwards. */
function openScope(connection: Connection): { sql: Transaction; end(): void } {
  let ended = false;
  const whileOpen = <Result>(call: () => Promise<Result>): Promise<Result> =>
    ended ? Promise.reject(new Error('this transaction has ended')) : call();
  return {
    sql: {
      query: (text, parameters) => whileOpen(() => connection.query(text, parameters)),
      rows: (text, parameters) => whileOpen(() => connection.rows(text, parameters)),
      script: (text) => whileOpen(() => connection.script(text)),
    },
    end() {
      ended = true;
    },
  };
}

/** The server gives up a little before we do, so the connection survives a slow statement. */
function serverTimeoutMs(timeoutMs: number): number {
  return Math.ceil(timeoutMs * 0.9);
}

/** Logs when the database goes away and when it is back, not each failure in between. */
function loggingChanges(
  logger: Logger,
  open: (onLost: () => void) => Promise<Connection>,
): (onLost: () => void) => Promise<Connection> {
  let away = false;
  return async (onLost) => {
    try {
      const connection = await open(onLost);
      if (away) logger.info('the database is back');
      away = false;
      return connection;
    } catch (error) {
      if (!away) logger.error('the database is away', { reason: messageOf(error) });
      away = true;
      throw error;
    }
  };
}

const STATEMENT_TIMEOUT = '57014';
/** The prepared statement no longer fits the tables (0A000), or is gone (26000): only a new connection prepares it anew. */
const STALE_STATEMENT: ReadonlySet<string> = new Set(['0A000', '26000']);
const JSON_TYPES: readonly number[] = [114, 3802];

/** The driver would have stored a JSON string; see castJsonThroughText. Found at the first run of such a statement. */
function refuseJsonParameters(result: unknown, text: string): void {
  const types = (result as Partial<SQL.ResultMetadata>).statement?.types;
  if (types?.some((type) => JSON_TYPES.includes(type)))
    throw new Error(`a JSON parameter needs a cast, as in $1::jsonb: ${text}`);
}

function translate(error: unknown, statement: string): unknown {
  if (!(error instanceof SQL.PostgresError)) return error;
  const sqlState = sqlStateOf(error);
  // Without a code it is not the server that speaks: the connection broke, or what came over it made no sense.
  if (sqlState === null || meansUnavailable(sqlState))
    return new DatabaseUnavailable(error.message, { cause: error });
  return new StatementRefused(error.message, { sqlState, constraint: error.constraint ?? null, statement });
}

function sqlStateOf(error: unknown): string | null {
  return error instanceof SQL.PostgresError ? (error.errno ?? null) : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
