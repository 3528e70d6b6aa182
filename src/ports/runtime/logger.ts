/**
 * Structured logging by event; log-events.ts has the texts. The adapter redacts field values (API
 * keys, signatures, payer_info).
 */
import type { LogEvent } from './log-events.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Logger {
  info(event: LogEvent<'info'>, fields?: Fields): void;
  warn(event: LogEvent<'warn'>, fields?: Fields): void;
  error(event: LogEvent<'error'>, fields?: Fields): void;
  /** A logger that adds `fields` to every line. */
  with(fields: Fields): Logger;
}
