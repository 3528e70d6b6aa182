<<<<<<< HEAD
/** A Logger for tests that do not look at log lines. */
import type { Logger } from '../../src/ports/logger.ts';

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
=======
/** A logger for tests that do not look at the log. */
import type { Logger } from '../../src/ports/logger.ts';

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
>>>>>>> wt-pgclient
  with: () => silentLogger,
};
