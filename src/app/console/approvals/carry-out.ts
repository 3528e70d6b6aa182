/**
 * Carries out what was approved, exactly once. Orders that are one transaction are done in the
 * transaction that marks them done. Payouts have a writer of their own: their X-Uniq-Id, which the
 * approval has kept from the start and the database keeps for good, finds what an earlier try paid.
 */
import {
  type Approval,
  type ApprovalKind,
  CARRY_OUT_PATIENCE_MS,
  decideApproval,
} from '../../../domain/accounts/approval.ts';
import type { Actor } from '../../../domain/audit/audit-entry.ts';
import type { AppError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { type Repositories, StorageUnavailable } from '../../../ports/repositories.ts';
import { runResult } from '../../shared/transaction-result.ts';
import { appendEntry, approvalFacts } from './approval-entry.ts';
import type { ApprovalNeeds } from './store-request.ts';

/** What carrying it out made, or why it cannot be done. */
export type CarriedOut = Promise<Result<JsonObject, AppError>>;

/** Does it in an open transaction, which is rolled back if it refuses. Writes its audit entry. */
export type Within = (repositories: Repositories, actor: Actor) => CarriedOut;

/** What a carrier needs to know of an order. */
export type Order = Pick<Approval, 'order' | 'merchantId' | 'sandbox' | 'requestedByName' | 'amountMicroUsd'>;

/** One kind of order. */
export type Carrier =
  /** Asks nodes and prices, if it must, before the transaction that does it. */
  | { readonly begin: (order: Order) => Promise<Result<Within, AppError>> }
  /** Does it on its own, and finds what it did before. */
  | { readonly repeatable: (approval: Approval) => CarriedOut };

export type Carriers = Readonly<Partial<Record<ApprovalKind, Carrier>>>;

/** The approval afterwards: done, failed, or still approved, which the job tries again. */
export type CarryOut = (approval: Approval) => Promise<Approval>;

/** Refusals that pass: prices or nodes that are away, a gateway that starts. */
const PASSES: ReadonlySet<AppError['code']> = new Set(['RATES_UNAVAILABLE', 'UNAVAILABLE']);

export function carryOut(deps: ApprovalNeeds, carriers: Carriers): CarryOut {
  return async (approval) => {
    const carrier = carriers[approval.kind];
    if (approval.status !== 'approved' || carrier === undefined) return approval;
    try {
      const result =
        'begin' in carrier
          ? await doneWithin(deps, approval.id, await carrier.begin(approval))
          : await doneAfter(deps, approval, await carrier.repeatable(approval));
      if (result.ok) return result.value;
      return passes(deps, approval, result.error) ? approval : await failed(deps, approval.id, result.error);
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      deps.logger.warn('approval.carried_out_later', { approvalId: approval.id, error: error.message });
      return approval;
    }
  };
}

/** Whoever decided it has done what comes of it; for what needed nobody, whoever ordered it. */
function actorOf({ decidedBy, decidedByName, requestedBy, requestedByName }: Approval): Actor {
  return { kind: 'user', userId: decidedBy ?? requestedBy, name: decidedByName ?? requestedByName, ip: null };
}

function doneWithin(
  deps: ApprovalNeeds,
  id: string,
  begun: Result<Within, AppError>,
): Promise<Result<Approval, AppError>> {
  if (!begun.ok) return Promise.resolve(begun);
  return runResult(deps.unitOfWork, async (repositories) => {
    const approval = await locked(repositories, id);
    if (approval.status !== 'approved') return ok(approval);
    return finish(deps, repositories, approval, await begun.value(repositories, actorOf(approval)));
  });
}

/** Stores what was made in the transaction that made it. */
export async function finish(
  { clock }: Pick<ApprovalNeeds, 'clock'>,
  { approvals }: Repositories,
  approval: Approval,
  made: Result<JsonObject, AppError>,
): Promise<Result<Approval, AppError>> {
  if (!made.ok) return made;
  const done = decideApproval(approval, { type: 'done', made: made.value, at: clock.now() });
  if (!done.ok) throw new Error(`approval ${approval.id} is approved and cannot be done: ${done.error}`);
  await approvals.save(done.value);
  return ok(done.value);
}

async function doneAfter(
  deps: ApprovalNeeds,
  { id }: Approval,
  made: Result<JsonObject, AppError>,
): Promise<Result<Approval, AppError>> {
  if (!made.ok) return err(made.error);
  return ok(
    await deps.unitOfWork.run(async (repositories) => {
      const approval = await locked(repositories, id);
      const done = decideApproval(approval, { type: 'done', made: made.value, at: deps.clock.now() });
      // Another process was faster: it found the same.
      if (!done.ok) return approval;
      await repositories.approvals.save(done.value);
      // The log says that it failed.
      if (approval.status === 'failed')
        await appendEnd(deps, repositories, 'approval.done_after_all', { approval, ended: done.value });
      return done.value;
    }),
  );
}

function failed(deps: ApprovalNeeds, id: string, error: AppError): Promise<Approval> {
  const { unitOfWork, clock, logger } = deps;
  return unitOfWork.run(async (repositories) => {
    const approval = await locked(repositories, id);
    const { message } = error;
    const end = decideApproval(approval, { type: 'failed', code: codeOf(error), message, at: clock.now() });
    if (!end.ok) return approval;
    await repositories.approvals.save(end.value);
    await appendEnd(deps, repositories, 'approval.failed', { approval, ended: end.value });
    logger.warn('approval.failed', { approvalId: id, kind: approval.kind, code: codeOf(error) });
    return end.value;
  });
}

/** Where what was ordered makes no entry of its own. */
function appendEnd(
  deps: ApprovalNeeds,
  repositories: Repositories,
  action: string,
  { approval, ended }: { approval: Approval; ended: Approval },
): Promise<void> {
  return appendEntry(deps, repositories, {
    ...{ actor: actorOf(ended), action, approval: ended },
    ...{ before: approvalFacts(approval), after: approvalFacts(ended) },
  });
}

/** The business rule that it broke, or the code. */
export function codeOf({ code, details }: AppError): string {
  const rule = typeof details === 'object' && details !== null && 'rule' in details ? details.rule : null;
  return typeof rule === 'string' ? rule : code;
}

function passes({ clock }: ApprovalNeeds, approval: Approval, { code }: AppError): boolean {
  const since = approval.decidedAt ?? approval.createdAt;
  return PASSES.has(code) && clock.now().getTime() - since.getTime() < CARRY_OUT_PATIENCE_MS;
}

async function locked({ approvals }: Repositories, id: string): Promise<Approval> {
  const approval = await approvals.lock(id);
  if (approval === null) throw new Error(`an approval that was stored is not there: ${id}`);
  return approval;
}
