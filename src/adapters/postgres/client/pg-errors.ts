/**
 * The database's failures as typed errors. They are distinguished by SQLSTATE and constraint name,
 * never by message.
 */
import { StorageUnavailable } from '../../../ports/repositories.ts';

/**
 * The database cannot be reached, is starting or stopping, was lost, or did not answer in time.
 * After a failed write the outcome is unknown: it may have been committed. Respond with 503.
 */
export class DatabaseUnavailable extends StorageUnavailable {
  override readonly name: string = 'DatabaseUnavailable';
}

export const NAME_THE_POOLER =
  'Behind a connection pooler such as PgBouncer the URL needs `pgbouncer=true` in its query (docs/operations/deployment.md)';

/** The server did not answer within the deadline of a query or transaction. */
export class DeadlineMissed extends DatabaseUnavailable {
  override readonly name: string = 'DeadlineMissed';
  override readonly isLate = true;
}

/** Other calls had all connections for as long as this one could wait: the server may be well. */
export class ConnectionsBusy extends DatabaseUnavailable {
  override readonly name = 'ConnectionsBusy';
}

/** The server ended a statement that exceeded its deadline. */
export class StatementTimedOut extends DeadlineMissed {
  override readonly name = 'StatementTimedOut';
}

/** The server refused a statement. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
  /** Five characters, PostgreSQL appendix A. */
  readonly sqlState: string;
  /** Name of the violated constraint, if there is one. */
  readonly constraint: string | null;
  /** The statement's text, without parameters. */
  readonly statement: string;

  constructor(message: string, details: { sqlState: string; constraint: string | null; statement: string }) {
    super(message);
    this.sqlState = details.sqlState;
    this.constraint = details.constraint;
    this.statement = details.statement;
  }
}

/** A unique index or primary key already has such a row (23505); only of `constraint`, if given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return violates(error, '23505', constraint);
}

/** A required column would be null (23502). */
export function isNotNullViolation(error: unknown): boolean {
  return violates(error, '23502');
}

/**
 * A CHECK, or a trigger with the same code, refused the row (23514).
 */
export function isCheckViolation(error: unknown, constraint?: string): boolean {
  return violates(error, '23514', constraint);
}

/** The transaction lost against a concurrent one and had no effect: it should be repeated. */
export function isSerializationFailure(error: unknown): boolean {
  return violates(error, '40001') || violates(error, '40P01');
}

function violates(error: unknown, sqlState: string, constraint?: string): boolean {
  // drizzle wraps what its driver throws.
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof StatementRefused)
      return at.sqlState === sqlState && (constraint === undefined || at.constraint === constraint);
  return false;
}

/**
 * Whether the SQLSTATE means that the server is unavailable, rather than that it refuses this
 * statement.
 */
export function meansUnavailable(sqlState: string): boolean {
  // 08P01 is a protocol violation, as from a wrong number of parameters: a bug of the gateway.
  return (
    (sqlState.startsWith('08') && sqlState !== '08P01') ||
    sqlState.startsWith('53') ||
    UNAVAILABLE.has(sqlState)
  );
}

/** query_canceled: by statement_timeout, or by an operator. */
export const STATEMENT_TIMEOUT = '57014';

const UNAVAILABLE: ReadonlySet<string> = new Set([
  '25006', // read-only transaction: a demoted primary
  '25P03', // idle_in_transaction_session_timeout
  STATEMENT_TIMEOUT,
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P04', // database_dropped
  '57P05', // idle_session_timeout
]);
