/** A logger for what the bench runs inside its own process: only errors are worth a line. */
import type { Logger } from '../../src/ports/runtime/logger.ts';

export const silentLogger: Logger = {
  info: () => undefined,
  warn: () => undefined,
  error: (event, fields) => console.error(event, fields ?? ''),
  with: () => silentLogger,
};
