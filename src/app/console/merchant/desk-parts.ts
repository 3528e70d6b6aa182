/** What the use cases of a merchant's console share. */
import type { AuditedAction } from '../../../domain/audit/audit-entry.ts';
import type { AppError } from '../../../domain/errors.ts';
import { accessGate } from '../../../domain/merchants/merchant.ts';
import { err, type Result } from '../../../domain/result.ts';
import { type AuditNeeds, audited } from '../../audit/audited.ts';
import type { Decider } from '../approvals/decide.ts';
import type { Requester } from '../approvals/store-request.ts';
import type { Desk } from '../merchant-desk.ts';

/** Orders of one environment. */
export function requesterAt({ actor, userId, caller }: Desk): Requester {
  const { merchant, environment } = caller;
  return { actor, userId, merchant: { id: merchant.id, environment } };
}

/** Orders about the merchant itself: what bars a live key does not bar them. */
export function requesterOf({ actor, userId, caller }: Desk): Requester {
  return { actor, userId, merchant: { id: caller.merchant.id, environment: 'sandbox' } };
}

export function deciderAt({ actor, userId, role, refundLimitMicroUsd, caller }: Desk): Decider {
  return { actor, userId, role, refundLimitMicroUsd, merchantId: caller.merchant.id };
}

/** Does it, unless the API would refuse this merchant in this environment. */
export async function barred<Made>(
  { caller }: Desk,
  act: () => Promise<Result<Made, AppError>>,
): Promise<Result<Made, AppError>> {
  const refusal = accessGate(caller.merchant, caller.environment);
  return refusal === null ? act() : err(refusal);
}

type ActionAt = Omit<AuditedAction, 'merchantId'>;

/** An action at the merchant of the desk. */
export function actionAt({ caller }: Desk, action: ActionAt): AuditedAction {
  return { ...action, merchantId: caller.merchant.id };
}

/** The dependencies of one audited action there; `subjectOf` of one that makes its subject. */
export function auditedAt<Deps extends AuditNeeds>(
  deps: Deps,
  by: Desk,
  action: ActionAt,
  subjectOf?: (made: unknown) => string | null | undefined,
): Deps {
  return audited(deps, by.actor, actionAt(by, action), subjectOf === undefined ? {} : { subjectOf });
}
