/** Use cases that run inside a transaction that is open already. */
import type { Repositories, UnitOfWork } from '../../ports/repositories.ts';

/**
 * The dependencies of a use case that takes part in the transaction of `repositories`. If it
 * refuses, the caller must roll back: `runResult` around it does, when it gets the refusal.
 */
export function joined<Deps extends { readonly unitOfWork: UnitOfWork }>(
  deps: Deps,
  repositories: Repositories,
): Deps {
  return { ...deps, unitOfWork: { run: (work) => work(repositories) } };
}
