/**
 * Stores what a page orders, before anything of it is done: with its entry in the audit log, in one
 * transaction. Whether a second person is needed is decided here, over everything that the user
 * ordered alone lately. A form that is sent again finds its first request.
 */
import {
  type Approval,
  type ApprovalKind,
  isAbove,
  type MovedLately,
  type NeededApprover,
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
  readonly formId: string;
  /** It belongs to one environment. */
  readonly sandbox: boolean | null;
  /**
   * What it is worth, in micro-USD, once its subject is locked; null: it moves no money. Or why it
   * is refused. Not asked for a form that was sent before.
   */
  readonly worth: (repositories: Repositories) => Promise<Result<bigint | null, AppError>>;
  /**
   * The audit log's name of it where nobody else is needed; null: what it makes has an entry of its
   * own.
   */
  readonly action: string | null;
}

/** Whether somebody independent is needed, besides the limit for money. */
export type WaitsFor = (limitMicroUsd: bigint | null, merchant: Merchant | null) => boolean;

export interface RequestTerms {
  /** CONSOLE_APPROVAL_USD; null: off. */
  readonly operatorLimitMicroUsd: bigint | null;
  /** Of the refunds that the requester offers within a day; null: none. */
  readonly refundLimitMicroUsd?: bigint | null;
  readonly waits?: WaitsFor;
}

export interface StoredRequest {
  readonly approval: Approval;
  /** False: it is that of the same form. */
  readonly isNew: boolean;
}

/** In an open transaction, which has to be rolled back if it refuses. */
export async function requestIn(
  deps: ApprovalNeeds,
  repositories: Repositories,
  { by, wanted, terms }: { by: Requester; wanted: Wanted; terms: RequestTerms },
): Promise<Result<StoredRequest, AppError>> {
  const { approvals } = repositories;
  const { worth: worthOf, action, ...request } = wanted;
  const merchantId = by.merchant?.id ?? null;
  // Before the subject is locked.
  await approvals.lockUser(by.userId);
  const earlier = await approvals.ofForm(by.userId, wanted.formId);
  if (earlier !== null) return sameForm(earlier, by, wanted);
  const worth = await worthOf(repositories);
  if (!worth.ok) return worth;
  const limit = await limitFor(repositories, by, terms);
  if (!limit.ok) return limit;
  const now = deps.clock.now();
  const { sandbox } = wanted;
  const lately = await movedLately(repositories, { userId: by.userId, merchantId, sandbox, now });
  const needed = neededFor(worth.value, lately, { ...terms, ...limit.value });
  const approval = newApproval(
    {
      ...{ ...request, amountMicroUsd: worth.value },
      ...{ id: deps.ids.id(), uniqId: deps.ids.uuid(), merchantId },
      ...{ requestedBy: by.userId, requestedByName: by.actor.name, createdAt: now },
    },
    needed,
  );
  if (!(await approvals.insertIfAbsent(approval))) throw new Error('a form that is new was sent before');
  const named = needed === 'nobody' ? action : 'approval.requested';
  if (named !== null)
    await appendEntry(deps, repositories, {
      ...{ actor: by.actor, action: named, approval, before: null, after: approvalFacts(approval) },
    });
  return ok({ approval, isNew: true });
}

/** Who else has to agree, over everything that the user moved lately. */
function neededFor(
  worthMicroUsd: bigint | null,
  { aloneMicroUsd, refundsMicroUsd }: MovedLately,
  { limitMicroUsd, merchant, refundLimitMicroUsd, waits }: RequestTerms & Limit,
): NeededApprover {
  const plus = (lately: bigint) => (worthMicroUsd === null ? null : worthMicroUsd + lately);
  if (isAbove(plus(aloneMicroUsd), limitMicroUsd) || waits?.(limitMicroUsd, merchant) === true)
    return 'independent';
  return isAbove(plus(refundsMicroUsd), refundLimitMicroUsd ?? null) ? 'larger_limit' : 'nobody';
}

/** What counts together with an order, or an approval, of now. */
export function movedLately(
  { approvals }: Repositories,
  of: { userId: string; merchantId: string | null; sandbox: boolean | null; now: Date },
): Promise<MovedLately> {
  const { now, ...whose } = of;
  return approvals.movedLately({ ...whose, since: new Date(now.getTime() - TOGETHER_MS) });
}

interface Limit {
  readonly merchant: Merchant | null;
  readonly limitMicroUsd: bigint | null;
}

/** Read in the transaction: the limit may have changed, and the merchant been paused. */
async function limitFor(
  { merchants }: Repositories,
  { merchant: at }: Requester,
  { operatorLimitMicroUsd }: RequestTerms,
): Promise<Result<Limit, AppError>> {
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

function sameForm(earlier: Approval, by: Requester, { kind }: Wanted): Result<StoredRequest, AppError> {
  const isSame = earlier.kind === kind && earlier.merchantId === (by.merchant?.id ?? null);
  return isSame
    ? ok({ approval: earlier, isNew: false })
    : err(appError('DUPLICATE', 'This form was sent before, for something else. Load the page again.'));
}
