/**
 * One connection to PostgreSQL. This is the only file that uses the driver, Bun's own client (why:
 * decision 0032). Its pool is not used: each client holds one reserved connection, because that
 * never reconnects.
 */
import { type ReservedSQL, SQL } from 'bun';
import type { DatabaseAddress, DatabasePlace, Target } from './database-url.ts';
import { castJsonThroughText, encodeParameter, type SqlParameter } from './parameters.ts';
import {
  DatabaseUnavailable,
  meansUnavailable,
  NAME_THE_POOLER,
  STATEMENT_TIMEOUT,
  StatementRefused,
  StatementTimedOut,
} from './pg-errors.ts';
import {
  firstStatement,
  marked,
  type SessionFound,
  type SessionSettings,
  serverTimeoutMs,
  sessionSettings,
  setLocal,
} from './session-settings.ts';
import type { Transaction } from './sql.ts';

/**
 * For all of it: name, login and first statement. A server that hangs may answer the one and not
 * the other.
 */
const OPEN_SECONDS = 3;

export interface TransactionLimits {
  /** Its statements may take so long instead of the usual time. */
  readonly timeoutMs?: number;
  /** A statement that waits longer for a lock is refused (55P03). */
  readonly lockMs?: number;
}

/** A connection that never reconnects: once lost, every call on it rejects. */
export interface Connection extends Transaction {
  /**
   * Runs COMMIT; throws if the server rolled back instead because an earlier statement had failed.
   */
  commit(): Promise<void>;
  begin(
    mode: 'begin' | 'begin isolation level repeatable read read only',
    limits?: TransactionLimits,
  ): Promise<void>;
  /**
   * Whether a statement outside of a transaction runs without our settings, since a pooler shares
   * the session.
   */
  readonly isBare: boolean;
  close(): void;
}

export interface Opening {
  readonly timeoutMs: number;
  /** What the server must be. */
  readonly target: Target;
  /**
   * A random text that the session begins with, and must show: a pooler in between drops it. Null:
   * not asked.
   */
  readonly mark: string | null;
  /** Called when the connection has ended, possibly repeatedly. */
  readonly onLost: () => void;
}

/** Opens one connection, within 3 s; DatabaseUnavailable if that fails. */
export async function connect(
  address: DatabaseAddress & DatabasePlace,
  { timeoutMs, target, mark, onLost }: Opening,
): Promise<Connection> {
  const { username, password, database, hostname, port, isPooled } = address;
  const settings = sessionSettings(timeoutMs);
  // A pooler keeps these two for each of its clients.
  const first = isPooled ? { TimeZone: settings.TimeZone } : { ...settings, ...marked(mark) };
  const client = new SQL({
    // The URL keeps the driver from filling missing parts from DATABASE_URL; options override PG*
    // variables.
    url: `postgres://localhost:${port}/`,
    adapter: 'postgres',
    ...{ username, password, database, hostname, port, tls: address.sslMode },
    ...(address.socketFolder === null ? {} : { path: address.socketFolder }),
    max: 1,
    connectionTimeout: OPEN_SECONDS,
    // A pooler gives each transaction another session: no statement stays prepared there.
    prepare: !isPooled,
    connection: { application_name: 'quittance', ...first },
    onclose: onLost,
  });
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`no answer within ${OPEN_SECONDS} s`)),
    OPEN_SECONDS * 1_000,
  );
  const opened = async (): Promise<Connection> => {
    const held = await client.reserve();
    const greeting = firstStatement({ settings, isPooled, target, mark });
    const [found] = greeting === null ? [] : await held.unsafe<SessionFound[]>(greeting).simple();
    if (found?.isOurs === false)
      throw new Error(`the settings of a session do not reach the server. ${NAME_THE_POOLER}`);
    if (found?.fits === false) throw new Error(`the server is not ${target}`);
    const isBare = isPooled && found?.isPreset !== true;
    return connectionOn({ client, held, settings, onLost, isPooled, isBare });
  };
  try {
    return await Promise.race([opened(), expired]);
  } catch (error) {
    client.close({ timeout: 0 }).catch(() => undefined);
    const hint = sqlStateOf(error) === PROTOCOL_VIOLATION && !isPooled ? `. ${NAME_THE_POOLER}` : '';
    throw new DatabaseUnavailable(`cannot connect: ${messageOf(error)}${hint}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function connectionOn({
  client,
  held,
  settings,
  onLost,
  isPooled,
  isBare,
}: {
  readonly client: SQL;
  readonly held: ReservedSQL;
  readonly settings: SessionSettings;
  readonly onLost: () => void;
  readonly isPooled: boolean;
  readonly isBare: boolean;
}): Connection {
  const settle = async <Result>(text: string, start: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await start();
      refuseJsonParameters(result, text);
      return result;
    } catch (error) {
      const sqlState = sqlStateOf(error);
      const failure = translate(error, text, isPooled);
      const unusable = failure instanceof DatabaseUnavailable && !(failure instanceof StatementTimedOut);
      if (unusable || (sqlState !== null && STALE_STATEMENT.has(sqlState))) connection.close();
      throw failure;
    }
  };
  const prepare = (text: string, parameters: readonly SqlParameter[] = []) =>
    held.unsafe(castJsonThroughText(text), parameters.map(encodeParameter));
  const local = isPooled ? `; ${setLocal(settings)}` : '';
  const connection: Connection = {
    isBare,
    query: (text, parameters) => settle(text, () => prepare(text, parameters)),
    async script(text) {
      await settle(text, () => held.unsafe(text).simple());
    },
    begin(mode, { timeoutMs: longerMs, lockMs } = {}) {
      const longer =
        longerMs === undefined ? '' : `; ${setLocal({ statement_timeout: serverTimeoutMs(longerMs) })}`;
      const locks = lockMs === undefined ? '' : `; ${setLocal({ lock_timeout: lockMs })}`;
      return connection.script(`${mode}${local}${longer}${locks}`);
    },
    async commit() {
      const { command } = await settle('commit', () => held.unsafe('commit'));
      if (command !== 'COMMIT')
        throw new Error('a transaction went on after a failed statement and was rolled back');
    },
    close() {
      onLost();
      for (const each of [held, client]) each.close({ timeout: 0 }).catch(() => undefined);
    },
  };
  return connection;
}

/** PgBouncer refuses the settings of a session with it at the start, and ends sessions with it. */
const PROTOCOL_VIOLATION = '08P01';

/**
 * The prepared statement no longer fits the tables (0A000), or is gone (26000): only a new
 * connection prepares it again.
 */
const STALE_STATEMENT: ReadonlySet<string> = new Set(['0A000', '26000']);
const JSON_TYPES: readonly number[] = [114, 3802];

/**
 * The driver would have stored a JSON string; see castJsonThroughText. Checked at the first run of
 * such a statement.
 */
function refuseJsonParameters(result: unknown, text: string): void {
  const types = (result as Partial<SQL.ResultMetadata>).statement?.types;
  if (types?.some((type) => JSON_TYPES.includes(type)))
    throw new Error(`a JSON parameter needs a cast, as in $1::jsonb: ${text}`);
}

function translate(error: unknown, statement: string, isPooled: boolean): unknown {
  if (!(error instanceof SQL.PostgresError)) return error;
  // The statement was never sent.
  if (error.code === 'ERR_POSTGRES_TOO_MANY_PARAMETERS') return error;
  const sqlState = sqlStateOf(error);
  if (sqlState === STATEMENT_TIMEOUT) return new StatementTimedOut(error.message, { cause: error });
  // An error without a code is not the server's: the connection broke, or its data made no sense.
  if (sqlState === null || meansUnavailable(sqlState) || (isPooled && sqlState === PROTOCOL_VIOLATION))
    return new DatabaseUnavailable(error.message, { cause: error });
  return new StatementRefused(error.message, { sqlState, constraint: error.constraint ?? null, statement });
}

function sqlStateOf(error: unknown): string | null {
  return error instanceof SQL.PostgresError ? (error.errno ?? null) : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
