/** A change of accounts in one transaction: a fault rolls back all of it. */
import type { Result } from '../../domain/result.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { runResult } from '../shared/transaction-result.ts';
import type { AccountFault } from './accounts.ts';
import type { AccountsDependencies } from './dependencies.ts';

export function changing<Value>(
  { unitOfWork }: Pick<AccountsDependencies, 'unitOfWork'>,
  work: (repositories: Repositories) => Promise<Result<Value, AccountFault>>,
): Promise<Result<Value, AccountFault>> {
  return runResult(unitOfWork, work);
}
