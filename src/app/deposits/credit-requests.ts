/**
 * A merchant asks for the credit of an unmatched deposit, and an operator grants or declines it. A
 * grant credits the deposit in the same transaction; a credit of another way grants the request.
 */
import { type CreditRequest, decidedRequest } from '../../domain/deposits/credit-request.ts';
import type { Deposit } from '../../domain/deposits/deposit.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Scope } from '../../ports/list-queries.ts';
import { noteFault } from '../audit/note-fault.ts';
import type { AppDependencies } from '../dependencies.ts';
import { runResult } from '../shared/transaction-result.ts';
import { creditStray } from './unmatched-deposits.ts';

type Needs = Parameters<typeof creditStray>[0] & Pick<AppDependencies, 'consoleQueries'>;

/** INVALID_TRANSITION if the deposit is not unmatched, or asked for already. */
export function requestCredit(deps: Needs) {
  return (
    scope: Scope,
    asked: { readonly depositId: string; readonly by: string; readonly reason: string },
  ): Promise<Result<CreditRequest, AppError>> =>
    runResult(deps.unitOfWork, async (repositories) => {
      const { depositId, by, reason } = asked;
      const fault = noteFault('reason', reason);
      if (fault !== null) return err(fault);
      const deposit = await repositories.deposits.lock(depositId);
      if (deposit?.merchantId !== scope.merchantId || deposit.sandbox !== scope.sandbox)
        return err(appError('NOT_FOUND', 'No such deposit.'));
      if (deposit.status !== 'stray')
        return err(appError('INVALID_TRANSITION', 'This payment is not unmatched any more.'));
      const request: CreditRequest = {
        ...{ id: deps.ids.id(), merchantId: deposit.merchantId, sandbox: deposit.sandbox, depositId },
        ...{ status: 'requested', requestedBy: by, reason },
        ...{ decidedBy: null, answer: null, createdAt: deps.clock.now(), decidedAt: null },
      };
      return (await repositories.creditRequests.insertIfAbsent(request))
        ? ok(request)
        : err(appError('INVALID_TRANSITION', 'Its credit was requested already.'));
    });
}

export interface CreditAnswer {
  readonly by: string;
  readonly answer: string | null;
}

/** Credits the deposit as `strays credit` does. */
export function grantCredit(deps: Needs) {
  return async (requestId: string, answer: CreditAnswer): Promise<Result<Deposit, AppError>> => {
    const fault = noteFault('answer', answer.answer);
    if (fault !== null) return err(fault);
    const request = await deps.consoleQueries.creditRequest(requestId);
    if (request === null) return err(noRequest(requestId));
    return creditStray(deps)(request.depositId, { ...answer, requestId });
  };
}

export function declineCredit(deps: Needs) {
  return (requestId: string, { by, answer }: CreditAnswer): Promise<Result<CreditRequest, AppError>> =>
    runResult(deps.unitOfWork, async (repositories) => {
      const fault = noteFault('answer', answer);
      if (fault !== null) return err(fault);
      const request = await repositories.creditRequests.lock(requestId);
      if (request === null) return err(noRequest(requestId));
      const declined = decidedRequest(request, { status: 'declined', by, answer, at: deps.clock.now() });
      if (declined === null)
        return err(appError('INVALID_TRANSITION', `The request is ${request.status} already.`));
      await repositories.creditRequests.save(declined);
      return ok(declined);
    });
}

export const noRequest = (id: string): AppError => appError('NOT_FOUND', `No such request: ${id}`);
