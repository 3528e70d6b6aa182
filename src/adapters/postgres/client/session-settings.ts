/**
 * What statements rely on: UTC, no JIT, and limits that the server itself keeps. A session of our
 * own has them from its start. A session that a pooler shares has them in each transaction.
 */
type SessionSettings = ReturnType<typeof sessionSettings>;

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

/**
 * Reads whether a session has them already, by `alter role ... set` for example: then single
 * statements need no transaction for them. A shorter limit is as well.
 */
export function settingsArePreset(settings: SessionSettings): string {
  return `select current_setting('TimeZone') = '${settings.TimeZone}' and current_setting('jit') = '${settings.jit}'
    and (select setting::bigint from pg_settings where name = 'statement_timeout') between 1 and ${settings.statement_timeout}
    as preset`;
}
