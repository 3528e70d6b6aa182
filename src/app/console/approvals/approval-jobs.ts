/** What ends approvals by itself: their time, and carrying out what a kill left approved. */
import { decideApproval } from '../../../domain/accounts/approval.ts';
import type { Actor } from '../../../domain/audit/audit-entry.ts';
import type { WorkerJob } from '../../shared/worker-job.ts';
import { appendEntry, approvalFacts } from './approval-entry.ts';
import type { CarryOut } from './carry-out.ts';
import type { ApprovalNeeds } from './store-request.ts';

const EVERY_MS = 30_000;
const AT_ONCE = 100;
/** The process that was ordered to do it is given this time: tries do not meet. */
const LEFT_AFTER_MS = 60_000;
const SYSTEM: Actor = { kind: 'system', userId: null, name: 'expire-approvals', ip: null };

export function approvalJobs(deps: ApprovalNeeds, carryOut: CarryOut): readonly WorkerJob[] {
  return [
    { name: 'expire-approvals', everyMs: EVERY_MS, run: () => expire(deps) },
    {
      name: 'carry-out-approvals',
      everyMs: EVERY_MS,
      run: (stopping) => carryOutLeft(deps, carryOut, stopping),
    },
  ];
}

/** One that fails holds up no other one: it fails the run at its end, and is tried again. */
async function carryOutLeft(
  { clock, unitOfWork }: ApprovalNeeds,
  carryOut: CarryOut,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const by = new Date(clock.now().getTime() - LEFT_AFTER_MS);
  const left = await unitOfWork.run(({ approvals }) => approvals.approvedBy(by, AT_ONCE));
  const failures: Error[] = [];
  for (const approval of left) {
    if (stopping?.aborted) break;
    await carryOut(approval).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      failures.push(new Error(`approval ${approval.id} was not carried out: ${why}`, { cause: error }));
    });
  }
  if (failures[0] !== undefined) throw failures[0];
}

/** More than AT_ONCE wait for the next run. */
function expire(deps: ApprovalNeeds): Promise<void> {
  return deps.unitOfWork.run(async (repositories) => {
    const at = deps.clock.now();
    for (const approval of await repositories.approvals.lockOverdue(at, AT_ONCE)) {
      const ended = decideApproval(approval, { type: 'time_passed', at });
      if (!ended.ok) throw new Error(`approval ${approval.id} is overdue and does not end: ${ended.error}`);
      await repositories.approvals.save(ended.value);
      await appendEntry(deps, repositories, {
        ...{ actor: SYSTEM, action: 'approval.expired', approval: ended.value },
        ...{ before: approvalFacts(approval), after: approvalFacts(ended.value) },
      });
    }
  });
}
