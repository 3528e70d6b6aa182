/** Approving, refusing and withdrawing a request, each once, with its entry in the audit log. */
import {
  type Approval,
  type ApprovalEvent,
  type ApprovalRefusal,
  type Approver,
  decideApproval,
} from '../../../domain/accounts/approval.ts';
import type { Role } from '../../../domain/accounts/role.ts';
import type { Actor } from '../../../domain/audit/audit-entry.ts';
import { appError } from '../../../domain/errors.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { RoleDirectory } from '../../../ports/accounts/role-directory.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { noteFault } from '../../audit/note-fault.ts';
import type { AppDependencies } from '../../dependencies.ts';
import type { DeskFault } from '../merchant-desk.ts';
import { appendEntry, approvalFacts } from './approval-entry.ts';
import type { CarryOut } from './carry-out.ts';
import { approvalRefused } from './ordered.ts';
import { type ApprovalNeeds, movedLately } from './store-request.ts';

/** Whoever decides, and on whose approvals. */
export interface Decider {
  readonly actor: Actor;
  readonly userId: string;
  readonly role: Role;
  readonly refundLimitMicroUsd: bigint | null;
  /** Null: the operators'. */
  readonly merchantId: string | null;
}

type DecideNeeds = ApprovalNeeds &
  Pick<AppDependencies, 'operatorQueries'> & { readonly roles: RoleDirectory };

/** Approves it and carries it out. Of two approvers, or an approver and a refuser, one is first. */
export function approve(
  deps: DecideNeeds,
  carryOut: CarryOut,
): (by: Decider, id: string) => Promise<Result<{ readonly approval: Approval }, DeskFault>> {
  return async (by, id) => {
    const decided = await decide(deps, by, id, {
      action: 'approval.approved',
      note: null,
      event: (at, of) => ({ type: 'approved', ...of, at }),
    });
    return decided.ok ? ok({ approval: await carryOut(decided.value) }) : decided;
  };
}

/** Why `approve` would refuse it now; null: it would not. */
export function whyNotApprove(
  deps: DecideNeeds,
): (by: Decider, approval: Approval) => Promise<ApprovalRefusal | null> {
  return async (by, approval) => {
    const people = await peopleOf(deps, by, approval);
    const next = await deps.unitOfWork.run(async (repositories) => {
      const of = await decidersAt(deps, repositories, { by, approval, people });
      return decideApproval(approval, { type: 'approved', ...of, at: deps.clock.now() });
    });
    return next.ok ? null : next.error;
  };
}

export function refuse(
  deps: DecideNeeds,
): (by: Decider, id: string, note: string | null) => Promise<Result<Approval, DeskFault>> {
  return async (by, id, note) => {
    const fault = noteFault('note', note);
    if (fault !== null) return err(fault);
    return decide(deps, by, id, {
      action: 'approval.refused',
      note,
      event: (at, of) => ({ type: 'refused', by: of.by, note, at }),
    });
  };
}

export function withdraw(
  deps: DecideNeeds,
): (by: Decider, id: string) => Promise<Result<Approval, DeskFault>> {
  return (by, id) =>
    decide(deps, by, id, {
      action: 'approval.withdrawn',
      note: null,
      event: (at) => ({ type: 'withdrawn', userId: by.userId, at }),
    });
}

type Approved = Extract<ApprovalEvent, { type: 'approved' }>;
type Deciding = Pick<Approved, 'by' | 'requester' | 'limitMicroUsd'>;

interface Decision {
  readonly action: string;
  readonly note: string | null;
  event(at: Date, of: Deciding): ApprovalEvent;
}

async function decide(
  deps: DecideNeeds,
  by: Decider,
  id: string,
  { action, note, event }: Decision,
): Promise<Result<Approval, DeskFault>> {
  const known = await deps.operatorQueries.approval(id);
  if (known === null || known.merchantId !== by.merchantId)
    return err(appError('NOT_FOUND', 'No such request.'));
  const people = await peopleOf(deps, by, known);
  return deps.unitOfWork.run(async (repositories) => {
    await repositories.approvals.lockUser(by.userId);
    const approval = await repositories.approvals.lock(id);
    if (approval === null) throw new Error(`an approval is gone: ${id}`);
    const of = await decidersAt(deps, repositories, { by, approval, people });
    const next = decideApproval(approval, event(deps.clock.now(), of));
    if (!next.ok) return err(approvalRefused(next.error));
    await repositories.approvals.save(next.value);
    await appendEntry(deps, repositories, {
      ...{ actor: by.actor, action, note, approval: next.value },
      ...{ before: approvalFacts(approval), after: approvalFacts(next.value) },
    });
    return ok(next.value);
  });
}

type People = Awaited<ReturnType<typeof peopleOf>>;

/** At present, whatever the session of the approver is known as. */
async function peopleOf({ roles }: DecideNeeds, by: Decider, { requestedBy, merchantId }: Approval) {
  const [requester, decider] = await Promise.all(
    [requestedBy, by.userId].map((userId) => roles.standingOf(userId, merchantId)),
  );
  return { requester: requester ?? null, decider: decider ?? null };
}

/** The approver with what counts together, and the limit of the place. */
async function decidersAt(
  { clock }: DecideNeeds,
  repositories: Repositories,
  { by, approval, people }: { by: Decider; approval: Approval; people: People },
): Promise<Deciding> {
  const { userId, role, actor, refundLimitMicroUsd } = by;
  const { merchantId, sandbox } = approval;
  const merchant = merchantId === null ? null : await repositories.merchants.find(merchantId);
  const lately = await movedLately(repositories, { userId, merchantId, sandbox, now: clock.now() });
  const approver: Approver = {
    ...{ userId, name: actor.name, role, refundLimitMicroUsd, lately },
    // Somebody without a standing is not independent of anybody.
    sponsors: people.decider?.sponsors ?? [approval.requestedBy],
  };
  return {
    ...{ by: approver, requester: people.requester },
    // Orders of operators always need somebody independent.
    limitMicroUsd: merchant?.approvalAboveMicroUsd ?? null,
  };
}
