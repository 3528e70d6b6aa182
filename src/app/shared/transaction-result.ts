/**
 * Runs a use case's transaction so that an expected failure has no effect: an Err rolls back
 * everything.
 */
import { err, ok, type Result } from '../../domain/result.ts';
import type { Repositories, UnitOfWork } from '../../ports/repositories.ts';

class RolledBack<Failure> extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super('rolled back after an expected failure');
    this.failure = failure;
  }
}

export async function runResult<Value, Failure>(
  unitOfWork: UnitOfWork,
  work: (repositories: Repositories) => Promise<Result<Value, Failure>>,
): Promise<Result<Value, Failure>> {
  try {
    const value = await unitOfWork.run(async (repositories) => {
      const result = await work(repositories);
      if (!result.ok) throw new RolledBack(result.error);
      return result.value;
    });
    return ok(value);
  } catch (error) {
    if (error instanceof RolledBack) return err(error.failure as Failure);
    throw error;
  }
}
