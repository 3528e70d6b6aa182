/**
 * Runs a use case's transaction so that an expected failure has no effect: an Err rolls back
 * everything.
 */
import type { AppError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Repositories, UnitOfWork } from '../../ports/repositories.ts';

class RolledBack extends Error {
  readonly reason: AppError;

  constructor(reason: AppError) {
    super(reason.code);
    this.reason = reason;
  }
}

export async function runResult<Value>(
  unitOfWork: UnitOfWork,
  work: (repositories: Repositories) => Promise<Result<Value, AppError>>,
): Promise<Result<Value, AppError>> {
  try {
    const value = await unitOfWork.run(async (repositories) => {
      const result = await work(repositories);
      if (!result.ok) throw new RolledBack(result.error);
      return result.value;
    });
    return ok(value);
  } catch (error) {
    if (error instanceof RolledBack) return err(error.reason);
    throw error;
  }
}
