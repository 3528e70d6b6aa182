/**
 * Four eyes: what one person orders and a second one approves before it is done (decision 0043).
 * waiting -> approved -> done or failed; waiting -> refused, expired or withdrawn; failed -> done
 * where it was done after all. What needs no second person begins as approved. Pure.
 */
import type { JsonObject } from '../money/json.ts';
import { err, ok, type Result, unreachable } from '../result.ts';
import { isGranted, type Permission, type Role } from './role.ts';
import { areIndependent, type Sponsored } from './sponsors.ts';

/** Ordered in a merchant's console. */
export const MERCHANT_APPROVAL_KINDS = [
  'payout',
  'payout_batch',
  'refund_offer',
  'approval_limit',
  'allowed_subnets',
] as const;
/** Ordered in the operators' console. */
export const OPERATOR_APPROVAL_KINDS = [
  'payout_release',
  'restored_release',
  'operator_refund_offer',
  'operator_refund',
  'capital_booking',
] as const;
export type MerchantApprovalKind = (typeof MERCHANT_APPROVAL_KINDS)[number];
export type OperatorApprovalKind = (typeof OPERATOR_APPROVAL_KINDS)[number];
export const APPROVAL_KINDS = [...MERCHANT_APPROVAL_KINDS, ...OPERATOR_APPROVAL_KINDS] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];
/** Those that belong to one environment of a merchant. */
export const ENVIRONMENT_KINDS = ['payout', 'payout_batch', 'refund_offer'] as const;

export const APPROVAL_STATUSES = [
  'waiting',
  'approved',
  'done',
  'failed',
  'refused',
  'expired',
  'withdrawn',
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** A request that nobody decides on ends by itself. */
export const APPROVAL_PATIENCE_MS = 3 * 24 * 3_600_000;
/** What a user orders alone within this time counts together. */
export const TOGETHER_MS = 24 * 3_600_000;
/** An approved order that waits for prices is given up then. */
export const CARRY_OUT_PATIENCE_MS = 3_600_000;

export interface Approval {
  readonly id: string;
  readonly kind: ApprovalKind;
  /** Null for the operators' kinds. */
  readonly merchantId: string | null;
  /** Null: it concerns both environments, or is an operators' one. */
  readonly sandbox: boolean | null;
  readonly status: ApprovalStatus;
  /** What is ordered, by kind (app/console/approvals/order-payloads.ts). Never a secret. */
  readonly order: JsonObject;
  /** What it is worth; null where it moves no money. */
  readonly amountMicroUsd: bigint | null;
  /**
   * A limit of the merchant or of operators was passed: somebody independent of the requester has
   * to approve it. False where only the requester's own limit of refunds was, or nothing.
   */
  readonly needsIndependent: boolean;
  /** Of the page's form: sent again, it is the same request. */
  readonly formId: string;
  /** X-Uniq-Id of the payout or batch: whoever carries it out, it is paid once. */
  readonly uniqId: string;
  readonly requestedBy: string;
  /** The user's e-mail address, as it was then. */
  readonly requestedByName: string;
  /** Who approved or refused it; null: nobody, or it needed nobody. */
  readonly decidedBy: string | null;
  readonly decidedByName: string | null;
  /** Why it was refused. */
  readonly note: string | null;
  /** What it made, by kind. Null until it is done. */
  readonly made: JsonObject | null;
  /** Why it could not be done, once it is failed. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
  readonly endedAt: Date | null;
}

export type ApprovalEvent =
  /**
   * `requester`: at present; null: no role any more. `limitMicroUsd`: above it nobody orders alone.
   */
  | {
      readonly type: 'approved';
      readonly by: Approver;
      readonly requester: Standing | null;
      readonly limitMicroUsd: bigint | null;
      readonly at: Date;
    }
  | { readonly type: 'refused'; readonly by: Approver; readonly note: string | null; readonly at: Date }
  | { readonly type: 'withdrawn'; readonly userId: string; readonly at: Date }
  | { readonly type: 'time_passed'; readonly at: Date }
  | { readonly type: 'done'; readonly made: JsonObject; readonly at: Date }
  | { readonly type: 'failed'; readonly code: string; readonly message: string; readonly at: Date };

/** What a user has of a place at present. */
export interface Standing extends Sponsored {
  readonly role: Role;
}

/** What a user moved within TOGETHER_MS, in one environment, in micro-USD. */
export interface MovedLately {
  /** Ordered alone, or approved where anybody with the permission could. */
  readonly aloneMicroUsd: bigint;
  /** Refunds that were offered alone, or approved. */
  readonly refundsMicroUsd: bigint;
}

export interface Approver extends Standing {
  readonly name: string;
  /** Of the refunds of a day; null: no limit. */
  readonly refundLimitMicroUsd: bigint | null;
  readonly lately: MovedLately;
}

/**
 * `over`: it was decided, or its time is over. `own`: by whoever requested it. `not_own`: only they
 * withdraw it. `not_permitted`: the role, or the limit of refunds, does not reach so far.
 * `requester_gone`: whoever requested it may not do that any more. `not_independent`: one let the
 * other in, or somebody both (sponsors.ts).
 */
export type ApprovalRefusal =
  | 'over'
  | 'own'
  | 'not_own'
  | 'not_permitted'
  | 'requester_gone'
  | 'not_independent';

/** An approver needs what the requester needed. */
export const APPROVAL_PERMISSIONS: Readonly<Record<ApprovalKind, Permission>> = {
  payout: 'payouts.create',
  payout_batch: 'payouts.create',
  refund_offer: 'refunds.offer',
  approval_limit: 'users.manage',
  allowed_subnets: 'keys.manage',
  payout_release: 'queue.decide',
  restored_release: 'queue.decide',
  operator_refund_offer: 'queue.decide',
  operator_refund: 'queue.decide',
  capital_booking: 'treasury.manage',
};

/** What a request has from the start. */
export type ApprovalRequest = Pick<
  Approval,
  | 'id'
  | 'kind'
  | 'merchantId'
  | 'sandbox'
  | 'order'
  | 'amountMicroUsd'
  | 'formId'
  | 'uniqId'
  | 'requestedBy'
  | 'requestedByName'
  | 'createdAt'
>;

/** `larger_limit`: somebody whose own limit of refunds, or whose role, reaches so far. */
export type NeededApprover = 'nobody' | 'larger_limit' | 'independent';

export function newApproval(request: ApprovalRequest, needed: NeededApprover): Approval {
  return {
    ...request,
    status: needed === 'nobody' ? 'approved' : 'waiting',
    needsIndependent: needed === 'independent',
    ...{ decidedBy: null, decidedByName: null, note: null, made: null, failure: null },
    expiresAt: new Date(request.createdAt.getTime() + APPROVAL_PATIENCE_MS),
    ...{ decidedAt: null, endedAt: null },
  };
}

/** The state after the event, or why it cannot happen. Nothing happens twice. */
export function decideApproval(approval: Approval, event: ApprovalEvent): Result<Approval, ApprovalRefusal> {
  const { at } = event;
  switch (event.type) {
    case 'approved':
    case 'refused':
      return decidedBySomebody(approval, event);
    case 'withdrawn':
      if (event.userId !== approval.requestedBy) return err('not_own');
      return isOpen(approval, at) ? ok({ ...approval, status: 'withdrawn', endedAt: at }) : err('over');
    case 'time_passed': {
      const ends = approval.status === 'waiting' && !isOpen(approval, at);
      return ends ? ok({ ...approval, status: 'expired', endedAt: at }) : err('over');
    }
    case 'done':
    case 'failed':
      return carriedOut(approval, event);
    default:
      return unreachable(event);
  }
}

function decidedBySomebody(
  approval: Approval,
  event: Extract<ApprovalEvent, { type: 'approved' | 'refused' }>,
): Result<Approval, ApprovalRefusal> {
  const { by, at } = event;
  const refusal = whyNotBy(approval, by, at);
  if (refusal !== null) return err(refusal);
  const decided = { ...approval, decidedBy: by.userId, decidedByName: by.name, decidedAt: at };
  if (event.type === 'refused') return ok({ ...decided, status: 'refused', note: event.note, endedAt: at });
  if (!mayRequest(approval, event.requester)) return err('requester_gone');
  return areIndependent(by, event.requester) || coversAlone(approval, by, event.limitMicroUsd)
    ? ok({ ...decided, status: 'approved' })
    : err('not_independent');
}

/** What somebody could have ordered alone needs nobody independent of them. */
function coversAlone(approval: Approval, { lately }: Approver, limitMicroUsd: bigint | null): boolean {
  return !approval.needsIndependent && !isAbove(plus(approval, lately.aloneMicroUsd), limitMicroUsd);
}

const plus = ({ amountMicroUsd }: Approval, lately: bigint): bigint | null =>
  amountMicroUsd === null ? null : amountMicroUsd + lately;

function carriedOut(
  approval: Approval,
  event: Extract<ApprovalEvent, { type: 'done' | 'failed' }>,
): Result<Approval, ApprovalRefusal> {
  const { status } = approval;
  const endedAt = event.at;
  // Whoever is slow may have done it after somebody else gave it up.
  if (event.type === 'done' && (status === 'approved' || status === 'failed'))
    return ok({ ...approval, status: 'done', made: event.made, failure: null, endedAt });
  if (event.type === 'failed' && status === 'approved') {
    const { code, message } = event;
    return ok({ ...approval, status: 'failed', failure: { code, message }, endedAt });
  }
  return err('over');
}

/** Whether somebody can still decide on it. */
export function isOpen({ status, expiresAt }: Approval, at: Date): boolean {
  return status === 'waiting' && at.getTime() < expiresAt.getTime();
}

function mayRequest({ kind }: Approval, requester: Standing | null): requester is Standing {
  return requester !== null && isGranted(requester.role, APPROVAL_PERMISSIONS[kind]);
}

/** Why this user cannot decide on it at all; null: they can refuse it, and perhaps approve it. */
function whyNotBy(approval: Approval, by: Approver, at: Date): ApprovalRefusal | null {
  if (by.userId === approval.requestedBy) return 'own';
  if (!isGranted(by.role, APPROVAL_PERMISSIONS[approval.kind])) return 'not_permitted';
  const limited =
    approval.kind === 'refund_offer' &&
    isAbove(plus(approval, by.lately.refundsMicroUsd), by.refundLimitMicroUsd);
  if (limited) return 'not_permitted';
  return isOpen(approval, at) ? null : 'over';
}

/** Whether an amount is above a limit; null: without a limit, or an order that moves no money. */
export function isAbove(amountMicroUsd: bigint | null, limitMicroUsd: bigint | null): boolean {
  return amountMicroUsd !== null && limitMicroUsd !== null && amountMicroUsd > limitMicroUsd;
}
