/**
 * What statements rely on: UTC, no JIT, and limits that the server itself keeps. A session of our
 * own has them from its start. A session that a pooler shares has them in each transaction.
 */
import type { Target } from './database-url.ts';

export type SessionSettings = ReturnType<typeof sessionSettings>;

export function sessionSettings(timeoutMs: number) {
  return {
    TimeZone: 'UTC',
    // JIT turned queries of 0.3 ms into 32 to 50 ms.
    jit: 'off',
    statement_timeout: serverTimeoutMs(timeoutMs),
    idle_in_transaction_session_timeout: timeoutMs,
  };
}

/**
 * The server's limit is a little shorter than the client's, so that the connection survives a slow
 * statement.
 */
export function serverTimeoutMs(timeoutMs: number): number {
  return Math.ceil(timeoutMs * 0.9);
}

/** Puts them in force until the transaction ends. */
export function setLocal(settings: Partial<SessionSettings & { readonly lock_timeout: number }>): string {
  return Object.entries(settings)
    .map(([name, value]) => `set local ${name} = '${value}'`)
    .join('; ');
}

const MARK = 'quittance.session';

/** A setting of nobody's, which the session begins with. */
export function marked(mark: string | null): { readonly [MARK]?: string } {
  return mark === null ? {} : { [MARK]: mark };
}

/** What the first statement of a session finds; a part that was not asked is null. */
export interface SessionFound {
  /** Its settings are those that the client sent. */
  readonly isOurs: boolean | null;
  /** The server is what `target` says. */
  readonly fits: boolean | null;
  /**
   * A session of a pooler has the settings already, by `alter role ... set` for example: then
   * single statements need no transaction for them. A shorter limit is as well.
   */
  readonly isPreset: boolean | null;
}

const FITS = {
  any: null,
  'read-write': `not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'`,
  standby: 'pg_is_in_recovery()',
} as const satisfies Record<Target, string | null>;

/**
 * Null if there is nothing to ask. It has no parameters: before a pooler is found out, nothing
 * may be prepared.
 */
export function firstStatement({
  settings,
  isPooled,
  target,
  mark,
}: {
  readonly settings: SessionSettings;
  readonly isPooled: boolean;
  readonly target: Target;
  readonly mark: string | null;
}): string | null {
  const isOurs =
    isPooled || mark === null ? null : `coalesce(current_setting('${MARK}', true) = '${mark}', false)`;
  const fits = FITS[target];
  const isPreset = isPooled ? arePreset(settings) : null;
  if (isOurs === null && fits === null && isPreset === null) return null;
  return `select ${isOurs} as "isOurs", ${fits} as "fits", ${isPreset} as "isPreset"`;
}

function arePreset(settings: SessionSettings): string {
  return `current_setting('TimeZone') = '${settings.TimeZone}' and current_setting('jit') = '${settings.jit}'
    and (select setting::bigint from pg_settings where name = 'statement_timeout') between 1 and ${settings.statement_timeout}`;
}
