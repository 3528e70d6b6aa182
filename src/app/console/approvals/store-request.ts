/**
 * Stores what a page orders, before anything of it is done: with its entry in the audit log, in one
 * transaction. Whether a second person is needed is decided here, over everything that the user
 * ordered alone lately. A form that is sent again finds its first request.
 */
import {
  type Approval,
  type ApprovalKind,
  isAbove,
  newApproval,
  TOGETHER_MS,
} from '../../../domain/accounts/approval.ts';
import type { Actor } from '../../../domain/audit/audit-entry.ts';
import type { Environment } from '../../../domain/environment.ts';
import { type AppError, appError, validationError } from '../../../domain/errors.ts';
import { accessGate, type Merchant } from '../../../domain/merchants/merchant.ts';
import type { JsonObject } from '../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { runResult } from '../../shared/transaction-result.ts';
import { appendEntry, approvalFacts } from './approval-entry.ts';

export type ApprovalNeeds = Pick<AppDependencies, 'unitOfWork' | 'clock' | 'ids' | 'logger'>;

/** Whoever orders, and where. */
export interface Requester {
  readonly actor: Actor;
  readonly userId: string;
  /** Null: an operator. */
  readonly merchant: { readonly id: string; readonly environment: Environment } | null;
}

export interface Wanted {
  readonly kind: ApprovalKind;
  readonly order: JsonObject;
  readonly amountMicroUsd: bigint | null;
  readonly formId: string;
  /** It belongs to one environment. */
  readonly sandbox: boolean | null;
  /**
   * The audit log's name of it where nobody else is needed; null: what it makes has an entry of its
   * own.
   */
  readonly action: string | null;
}

/** Whether a second person is needed, besides the limit for money. */
export type WaitsFor = (limitMicroUsd: bigint | null, merchant: Merchant | null) => boolean;

/** `operatorLimitMicroUsd`: CONSOLE_APPROVAL_USD; null: off. */
export interface RequestTerms {
  readonly operatorLimitMicroUsd: bigint | null;
  readonly waits?: WaitsFor;
}

/** The stored request: a new one, or that of the same form. */
export function storeRequest(
  deps: ApprovalNeeds,
): (by: Requester, wanted: Wanted, terms: RequestTerms) => Promise<Result<Approval, AppError>> {
  return (by, wanted, terms) =>
    runResult(deps.unitOfWork, (repositories) => requestIn(deps, repositories, { by, wanted, terms }));
}

/** The same in an open transaction, which has to be rolled back if it refuses. */
export async function requestIn(
  deps: ApprovalNeeds,
  repositories: Repositories,
  { by, wanted, terms }: { by: Requester; wanted: Wanted; terms: RequestTerms },
): Promise<Result<Approval, AppError>> {
  const { approvals } = repositories;
  await approvals.lockRequester(by.userId);
  const earlier = await approvals.ofForm(by.userId, wanted.formId);
  if (earlier !== null) return sameForm(earlier, by, wanted);
  const limit = await limitFor(repositories, by, terms);
  if (!limit.ok) return limit;
  const now = deps.clock.now();
  const { merchant, limitMicroUsd } = limit.value;
  const waits =
    isAbove(await together(repositories, { by, wanted, now }), limitMicroUsd) ||
    terms.waits?.(limitMicroUsd, merchant) === true;
  const { action, ...request } = wanted;
  const approval = newApproval(
    {
      ...request,
      ...{ id: deps.ids.id(), uniqId: deps.ids.uuid(), merchantId: by.merchant?.id ?? null },
      ...{ requestedBy: by.userId, requestedByName: by.actor.name, createdAt: now },
    },
    waits,
  );
  if (!(await approvals.insertIfAbsent(approval))) throw new Error('a form that is new was sent before');
  const named = waits ? 'approval.requested' : action;
  if (named !== null)
    await appendEntry(deps, repositories, {
      ...{ actor: by.actor, action: named, approval, before: null, after: approvalFacts(approval) },
    });
  return ok(approval);
}

/** The amount, with what the user ordered alone lately; null where it moves no money. */
export async function together(
  { approvals }: Repositories,
  { by, wanted, now }: { by: Requester; wanted: Pick<Wanted, 'amountMicroUsd' | 'sandbox'>; now: Date },
): Promise<bigint | null> {
  if (wanted.amountMicroUsd === null) return null;
  const alone = await approvals.orderedAlone({
    ...{ requestedBy: by.userId, merchantId: by.merchant?.id ?? null, sandbox: wanted.sandbox },
    since: new Date(now.getTime() - TOGETHER_MS),
  });
  return wanted.amountMicroUsd + alone;
}

/** Read in the transaction: the limit may have changed, and the merchant been paused. */
async function limitFor(
  { merchants }: Repositories,
  { merchant: at }: Requester,
  { operatorLimitMicroUsd }: RequestTerms,
): Promise<Result<{ merchant: Merchant | null; limitMicroUsd: bigint | null }, AppError>> {
  if (at === null) return ok({ merchant: null, limitMicroUsd: operatorLimitMicroUsd });
  const merchant = await merchants.find(at.id);
  if (merchant === null) return err(appError('NOT_FOUND', 'No such merchant.'));
  const barred = accessGate(merchant, at.environment);
  return barred === null ? ok({ merchant, limitMicroUsd: merchant.approvalAboveMicroUsd }) : err(barred);
}

const FORM_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Every form of a page has one: without it nobody could tell an order from its repetition. */
export function formFault(formId: string): AppError | null {
  return FORM_ID.test(formId)
    ? null
    : validationError([{ field: 'form_id', message: 'must be the UUID of the form' }]);
}

function sameForm(earlier: Approval, by: Requester, { kind }: Wanted): Result<Approval, AppError> {
  const isSame = earlier.kind === kind && earlier.merchantId === (by.merchant?.id ?? null);
  return isSame
    ? ok(earlier)
    : err(appError('DUPLICATE', 'This form was sent before, for something else. Load the page again.'));
}
