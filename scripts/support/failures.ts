/**
 * The expected failures of a script: a wrong command line (exit 2), a wrong configuration, or a
 * request that cannot be done (exit 1).
 */
import type { AppError } from '../../src/domain/errors.ts';
import type { Result } from '../../src/domain/result.ts';

/** The command line is wrong. One readable line, exit code 2; nothing was opened or changed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The message has all faults, one per line. */
export class Misconfigured extends Error {
  override readonly name = 'Misconfigured';
}

/** An expected failure. One readable line, exit code 1. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly error: AppError;
  constructor(error: AppError) {
    super(error.hint === undefined ? error.message : `${error.message}: ${error.hint}`);
    this.error = error;
  }
}

/** The value of a use case's result. An expected failure ends the script. */
export function orRefuse<Value>(result: Result<Value, AppError>): Value {
  if (!result.ok) throw new Refused(result.error);
  return result.value;
}
