/**
 * The ways in which a script ends badly on purpose: it was called wrongly (exit 2), its configuration is wrong, or what it was
 * asked cannot be done (exit 1).
 */
import type { AppError } from '../../src/domain/errors.ts';
import type { Result } from '../../src/domain/result.ts';

/** The command line is wrong. One readable line, exit code 2, nothing was opened or changed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The message is all faults, a line each. */
export class Misconfigured extends Error {
  override readonly name = 'Misconfigured';
}

/** An expected failure. One readable line, exit code 1. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly error: AppError;
  constructor(error: AppError) {
    super(error.message);
    this.error = error;
  }
}

/** The value of a use case's result; its expected failure ends the script. */
export function orRefuse<Value>(result: Result<Value, AppError>): Value {
  if (!result.ok) throw new Refused(result.error);
  return result.value;
}
