/** Approving, refusing and withdrawing a request, each once, with its entry in the audit log. */
import {
  type Approval,
  type ApprovalEvent,
  type Approver,
  decideApproval,
} from '../../../domain/accounts/approval.ts';
import type { Actor } from '../../../domain/audit/audit-entry.ts';
import { appError } from '../../../domain/errors.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { RoleDirectory } from '../../../ports/accounts/role-directory.ts';
import type { DeskFault } from '../merchant-desk.ts';
import { appendEntry, approvalFacts } from './approval-entry.ts';
import type { CarryOut } from './carry-out.ts';
import { approvalRefused } from './ordered.ts';
import type { ApprovalNeeds } from './store-request.ts';

/** Whoever decides, and on whose approvals. */
export interface Decider {
  readonly actor: Actor;
  readonly approver: Approver;
  /** Null: the operators'. */
  readonly merchantId: string | null;
}

type DecideNeeds = ApprovalNeeds & { readonly roles: RoleDirectory };

/** Approves it and carries it out. Of two approvers, or an approver and a refuser, one is first. */
export function approve(
  deps: DecideNeeds,
  carryOut: CarryOut,
): (by: Decider, id: string) => Promise<Result<{ readonly approval: Approval }, DeskFault>> {
  return async (by, id) => {
    const decided = await decide(deps, by, id, {
      action: 'approval.approved',
      note: null,
      event: (at, requesterRole) => ({ type: 'approved', by: by.approver, requesterRole, at }),
    });
    return decided.ok ? ok({ approval: await carryOut(decided.value) }) : decided;
  };
}

export function refuse(
  deps: DecideNeeds,
): (by: Decider, id: string, note: string | null) => Promise<Result<Approval, DeskFault>> {
  return (by, id, note) =>
    decide(deps, by, id, {
      action: 'approval.refused',
      note,
      event: (at) => ({ type: 'refused', by: by.approver, note, at }),
    });
}

export function withdraw(
  deps: DecideNeeds,
): (by: Decider, id: string) => Promise<Result<Approval, DeskFault>> {
  return (by, id) =>
    decide(deps, by, id, {
      action: 'approval.withdrawn',
      note: null,
      event: (at) => ({ type: 'withdrawn', userId: by.approver.userId, at }),
    });
}

interface Decision {
  readonly action: string;
  readonly note: string | null;
  event(at: Date, requesterRole: Awaited<ReturnType<RoleDirectory['roleOf']>>): ApprovalEvent;
}

async function decide(
  deps: DecideNeeds,
  { actor, merchantId }: Decider,
  id: string,
  { action, note, event }: Decision,
): Promise<Result<Approval, DeskFault>> {
  const known = await deps.unitOfWork.run(({ approvals }) => approvals.lock(id));
  if (known === null || known.merchantId !== merchantId)
    return err(appError('NOT_FOUND', 'No such request.'));
  const role = await deps.roles.roleOf(known.requestedBy, merchantId);
  return deps.unitOfWork.run(async (repositories) => {
    const approval = await repositories.approvals.lock(id);
    if (approval === null) throw new Error(`an approval is gone: ${id}`);
    const next = decideApproval(approval, event(deps.clock.now(), role));
    if (!next.ok) return err(approvalRefused(next.error));
    await repositories.approvals.save(next.value);
    await appendEntry(deps, repositories, {
      ...{ actor, action, note, approval: next.value },
      ...{ before: approvalFacts(approval), after: approvalFacts(next.value) },
    });
    return ok(next.value);
  });
}
