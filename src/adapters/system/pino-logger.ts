/**
 * The logger: one JSON line per event on standard output, ISO time, secrets redacted before pino
 * sees them.
 */
import { type DestinationStream, destination as fileDestination, pino, stdTimeFunctions } from 'pino';
import { isAlarm, type LogEventEntry, textOf } from '../../ports/runtime/log-events/entry.ts';
import { LOG_EVENTS, type LogEvent } from '../../ports/runtime/log-events.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import { redactFields } from './redact.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Names of every line's own fields: another field of that name would give a duplicate key. */
const RESERVED = new Set(['level', 'time', 'event', 'page', 'msg']);

/**
 * @param options.destination the output (default: standard output, written synchronously so that
 * none is lost at exit)
 */
export function pinoLogger(options: { level: LogLevel; destination?: DestinationStream }): Logger {
  const sink = pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? fileDestination({ dest: 1, sync: true }),
  );

  function loggerWith(context: Readonly<Record<string, unknown>>): Logger {
    const write =
      (level: 'info' | 'warn' | 'error') =>
      (event: LogEvent, fields?: Readonly<Record<string, unknown>>): void => {
        if (!sink.isLevelEnabled(level)) return;
        const entry: LogEventEntry = LOG_EVENTS[event];
        const head = { event, ...(isAlarm(entry) ? { page: true } : {}), ...context };
        sink[level](fields === undefined ? head : { ...head, ...loggable(fields) }, textOf(entry));
      };
    return {
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      with: (fields) => loggerWith({ ...context, ...loggable(fields) }),
    };
  }
  return loggerWith({});
}

function loggable(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const redacted = redactFields(fields);
  return Object.fromEntries(
    Object.entries(redacted).map(([name, value]) => [RESERVED.has(name) ? `${name}_` : name, value]),
  );
}
