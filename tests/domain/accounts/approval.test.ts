import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  APPROVAL_KINDS,
  APPROVAL_PATIENCE_MS,
  APPROVAL_PERMISSIONS,
  type Approval,
  type ApprovalEvent,
  type ApprovalRequest,
  decideApproval,
  isAbove,
  newApproval,
  whyNotBy,
} from '../../../src/domain/accounts/approval.ts';
import { isGranted, MERCHANT_ROLES, OPERATOR_ROLES } from '../../../src/domain/accounts/role.ts';

const AT = new Date('2026-06-01T12:00:00Z');
const after = (ms: number): Date => new Date(AT.getTime() + ms);
const USERS = ['ann', 'bob', 'cy'];

function requested(change: Partial<Approval> = {}): Approval {
  const request: ApprovalRequest = {
    kind: 'payout',
    ...{ id: 'a1', merchantId: 'm1', sandbox: false, order: {}, amountMicroUsd: 5_000_000n },
    ...{ formId: 'f1', uniqId: 'u1', requestedBy: 'ann', requestedByName: 'ann@x.io', createdAt: AT },
  };
  return { ...newApproval(request, true), ...change };
}

const roles = fc.constantFrom(...MERCHANT_ROLES, ...OPERATOR_ROLES);
const times = fc.integer({ min: 0, max: 2 * APPROVAL_PATIENCE_MS }).map(after);
const approvers = fc.record({
  userId: fc.constantFrom(...USERS),
  name: fc.constant('somebody'),
  role: roles,
  refundLimitMicroUsd: fc.option(fc.bigInt({ min: 0n, max: 10_000_000n })),
});
const events: fc.Arbitrary<ApprovalEvent> = fc.oneof(
  fc.record({
    ...{ type: fc.constant('approved' as const), by: approvers, at: times },
    requesterRole: fc.option(roles),
  }),
  fc.record({
    ...{ type: fc.constant('refused' as const), by: approvers, at: times },
    note: fc.option(fc.string()),
  }),
  fc.record({ type: fc.constant('withdrawn' as const), userId: fc.constantFrom(...USERS), at: times }),
  fc.record({ type: fc.constant('time_passed' as const), at: times }),
  fc.record({ type: fc.constant('done' as const), made: fc.constant({}), at: times }),
  fc.record({
    ...{ type: fc.constant('failed' as const), code: fc.constant('x'), message: fc.constant('y') },
    at: times,
  }),
);
const approvals = fc
  .record({ kind: fc.constantFrom(...APPROVAL_KINDS), waits: fc.boolean() })
  .map(({ kind, waits }) => newApproval({ ...requested(), kind }, waits));

/** Every state on the way, the first one included. */
function history(first: Approval, all: readonly ApprovalEvent[]): readonly Approval[] {
  const states = [first];
  for (const event of all) {
    const next = decideApproval(states.at(-1) as Approval, event);
    if (next.ok) states.push(next.value);
  }
  return states;
}

describe('approvals', () => {
  test('no history lets a requester decide on the own request', () => {
    fc.assert(
      fc.property(approvals, fc.array(events, { maxLength: 12 }), (first, all) => {
        for (const state of history(first, all)) expect(state.decidedBy).not.toBe(state.requestedBy);
      }),
    );
  });

  test('whatever needs a second person is approved by one who may do it, while it waits', () => {
    fc.assert(
      fc.property(approvals, fc.array(events, { maxLength: 12 }), (first, all) => {
        for (const event of all) {
          const next = decideApproval(first, event);
          if (!next.ok || event.type !== 'approved') continue;
          expect(first.status).toBe('waiting');
          expect(event.at < first.expiresAt).toBe(true);
          expect(isGranted(event.by.role, APPROVAL_PERMISSIONS[first.kind])).toBe(true);
          expect(event.requesterRole).not.toBeNull();
          if (first.kind === 'refund_offer')
            expect(isAbove(first.amountMicroUsd, event.by.refundLimitMicroUsd)).toBe(false);
        }
      }),
    );
  });

  test('it is approved at most once, and what was refused, withdrawn or expired stays so', () => {
    fc.assert(
      fc.property(approvals, fc.array(events, { maxLength: 20 }), (first, all) => {
        const statuses = history(first, all).map(({ status }) => status);
        const changes = statuses.filter((status, nth) => status !== statuses[nth - 1]);
        expect(changes.filter((status) => status === 'approved').length).toBeLessThanOrEqual(1);
        const end = changes.findIndex((status) => ['refused', 'withdrawn', 'expired'].includes(status));
        if (end >= 0) expect(end).toBe(changes.length - 1);
        if (changes.includes('done')) expect(changes.at(-1)).toBe('done');
      }),
    );
  });

  test('nothing is done that was not approved', () => {
    fc.assert(
      fc.property(approvals, fc.array(events, { maxLength: 12 }), (first, all) => {
        const statuses = history(first, all).map(({ status }) => status);
        for (const ended of ['done', 'failed'] as const)
          if (statuses.includes(ended)) expect(statuses).toContain('approved');
      }),
    );
  });

  test('at the very end of its time it expires and cannot be approved', () => {
    const by = { userId: 'bob', name: 'bob', role: 'owner', refundLimitMicroUsd: null } as const;
    const approved = (at: Date) =>
      decideApproval(requested(), { type: 'approved', by, requesterRole: 'owner', at });
    expect(approved(after(APPROVAL_PATIENCE_MS - 1)).ok).toBe(true);
    expect(approved(after(APPROVAL_PATIENCE_MS))).toEqual({ ok: false, error: 'over' });
    const passed = (at: Date) => decideApproval(requested(), { type: 'time_passed', at });
    expect(passed(after(APPROVAL_PATIENCE_MS - 1)).ok).toBe(false);
    expect(passed(after(APPROVAL_PATIENCE_MS))).toMatchObject({ value: { status: 'expired' } });
  });

  test('a requester whose role is gone cannot be approved, and can be refused', () => {
    const by = { userId: 'bob', name: 'bob', role: 'owner', refundLimitMicroUsd: null } as const;
    for (const requesterRole of [null, 'accountant'] as const)
      expect(decideApproval(requested(), { type: 'approved', by, requesterRole, at: AT })).toEqual({
        ok: false,
        error: 'requester_gone',
      });
    expect(decideApproval(requested(), { type: 'refused', by, note: null, at: AT }).ok).toBe(true);
  });

  test('an offer of a refund is approved up to the limit of the approver', () => {
    const offer = requested({ kind: 'refund_offer', amountMicroUsd: 5_000_000n });
    const by = (refundLimitMicroUsd: bigint | null) =>
      whyNotBy(offer, { userId: 'bob', name: 'bob', role: 'support', refundLimitMicroUsd }, AT);
    expect([by(4_999_999n), by(5_000_000n), by(null)]).toEqual(['not_permitted', null, null]);
  });

  test('only the requester withdraws it', () => {
    expect(decideApproval(requested(), { type: 'withdrawn', userId: 'bob', at: AT })).toEqual({
      ok: false,
      error: 'not_own',
    });
    expect(decideApproval(requested(), { type: 'withdrawn', userId: 'ann', at: AT }).ok).toBe(true);
  });

  test('what a slow process did after all is done, though another one had given it up', () => {
    const failed = decideApproval(requested({ status: 'approved' }), {
      ...{ type: 'failed', code: 'insufficient_balance', message: 'no', at: AT },
    } as const);
    expect(failed).toMatchObject({ value: { status: 'failed', failure: { code: 'insufficient_balance' } } });
    if (!failed.ok) throw new Error('it did not fail');
    expect(decideApproval(failed.value, { type: 'done', made: { payout_id: 'p' }, at: AT })).toMatchObject({
      value: { status: 'done', failure: null, made: { payout_id: 'p' } },
    });
  });

  test('an amount at the limit is not above it, and without either nothing is', () => {
    expect([isAbove(5n, 5n), isAbove(6n, 5n), isAbove(6n, null), isAbove(null, 0n)]).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });
});
