/**
 * An order that is one transaction: it is stored and, where nobody else is needed, done in it. So
 * there is nothing between the two that could be lost.
 */
import type { Approval } from '../../../domain/accounts/approval.ts';
import type { AppError } from '../../../domain/errors.ts';
import type { Result } from '../../../domain/result.ts';
import { err, ok } from '../../../domain/result.ts';
import { runResult } from '../../shared/transaction-result.ts';
import { finish, type Within } from './carry-out.ts';
import {
  type ApprovalNeeds,
  formFault,
  type Requester,
  type RequestTerms,
  requestIn,
  type Wanted,
} from './store-request.ts';

export interface OrderWithin {
  readonly by: Requester;
  readonly wanted: Omit<Wanted, 'action'>;
  readonly terms: RequestTerms;
  /** Asks nodes and prices, if it must, and returns what the transaction does. */
  readonly begin: () => Promise<Result<Within, AppError>>;
}

export function orderWithin(
  deps: ApprovalNeeds,
): (order: OrderWithin) => Promise<Result<Approval, AppError>> {
  return async ({ by, wanted, terms, begin }) => {
    const fault = formFault(wanted.formId);
    if (fault !== null) return err(fault);
    // What a form did once is not judged again: it would be refused.
    const sent = await deps.unitOfWork.run(({ approvals }) => approvals.ofForm(by.userId, wanted.formId));
    const begun = sent === null ? await begin() : null;
    if (begun?.ok === false) return begun;
    return runResult(deps.unitOfWork, async (repositories) => {
      const stored = await requestIn(deps, repositories, { by, wanted: { ...wanted, action: null }, terms });
      if (!stored.ok) return stored;
      const { approval, isNew } = stored.value;
      if (!isNew || approval.status !== 'approved') return ok(approval);
      if (begun === null) throw new Error('a form that was sent before is new');
      return finish(deps, repositories, approval, await begun.value(repositories, by.actor));
    });
  };
}
