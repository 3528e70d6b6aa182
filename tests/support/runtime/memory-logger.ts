/** A Logger that keeps its lines, for tests that look at them. */
import type { LogEvent } from '../../../src/ports/runtime/log-events.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';

export interface LogLine {
  readonly level: string;
  readonly event: LogEvent;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function memoryLogger(lines: LogLine[], bound: Readonly<Record<string, unknown>> = {}): Logger {
  const at =
    (level: string) =>
    (event: LogEvent, fields: Readonly<Record<string, unknown>> = {}) => {
      lines.push({ level, event, fields: { ...bound, ...fields } });
    };
  return {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => memoryLogger(lines, { ...bound, ...fields }),
  };
}
