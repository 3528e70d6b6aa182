/** A logger for what the bench runs inside its own process: only errors are worth a line. */
import type { Logger } from '../../src/ports/logger.ts';

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (message, fields) => console.error(message, fields ?? ''),
  with: () => silentLogger,
};
