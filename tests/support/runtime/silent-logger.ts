/** A Logger for tests that do not look at log lines. */
import type { Logger } from '../../../src/ports/runtime/logger.ts';

export const silentLogger: Logger = {
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
};
