import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  APPROVAL_KINDS,
  APPROVAL_PATIENCE_MS,
  APPROVAL_PERMISSIONS,
  type Approval,
  type ApprovalEvent,
  type ApprovalRequest,
  type Approver,
  decideApproval,
  isAbove,
  newApproval,
  type Standing,
} from '../../../src/domain/accounts/approval.ts';
import { isGranted, MERCHANT_ROLES, OPERATOR_ROLES } from '../../../src/domain/accounts/role.ts';
import { areIndependent } from '../../../src/domain/accounts/sponsors.ts';

const AT = new Date('2026-06-01T12:00:00Z');
const after = (ms: number): Date => new Date(AT.getTime() + ms);
const USERS = ['ann', 'bob', 'cy'];
const ANN: Standing = { userId: 'ann', role: 'owner', sponsors: [] };
const BOB: Approver = {
  ...{ userId: 'bob', name: 'bob', role: 'owner', sponsors: [], refundLimitMicroUsd: null },
  lately: { aloneMicroUsd: 0n, refundsMicroUsd: 0n },
};

function requested(change: Partial<Approval> = {}): Approval {
  const request: ApprovalRequest = {
    kind: 'payout',
    ...{ id: 'a1', merchantId: 'm1', sandbox: false, order: {}, amountMicroUsd: 5_000_000n },
    ...{ formId: 'f1', uniqId: 'u1', requestedBy: 'ann', requestedByName: 'ann@x.io', createdAt: AT },
  };
  return { ...newApproval(request, 'independent'), ...change };
}

const roles = fc.constantFrom(...MERCHANT_ROLES, ...OPERATOR_ROLES);
const times = fc.integer({ min: 0, max: 2 * APPROVAL_PATIENCE_MS }).map(after);
const standings = fc.record({
  userId: fc.constantFrom(...USERS),
  role: roles,
  sponsors: fc.subarray(USERS),
});
const sums = fc.bigInt({ min: 0n, max: 10_000_000n });
const approvers = fc.record({
  userId: fc.constantFrom(...USERS),
  name: fc.constant('somebody'),
  role: roles,
  sponsors: fc.subarray(USERS),
  lately: fc.record({ aloneMicroUsd: sums, refundsMicroUsd: sums }),
  refundLimitMicroUsd: fc.option(fc.bigInt({ min: 0n, max: 10_000_000n })),
});
const events: fc.Arbitrary<ApprovalEvent> = fc.oneof(
  fc.record({
    ...{ type: fc.constant('approved' as const), by: approvers, at: times },
    requester: fc.option(standings),
    limitMicroUsd: fc.option(sums),
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
  .record({
    kind: fc.constantFrom(...APPROVAL_KINDS),
    needed: fc.constantFrom('nobody', 'larger_limit', 'independent'),
  } as const)
  .map(({ kind, needed }) => newApproval({ ...requested(), kind }, needed));

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
          const { by, requester, limitMicroUsd } = event;
          if (requester === null) throw new Error('nobody asked for it');
          const moves = (lately: bigint) => (first.amountMicroUsd ?? 0n) + lately;
          if (first.kind === 'refund_offer')
            expect(isAbove(moves(by.lately.refundsMicroUsd), by.refundLimitMicroUsd)).toBe(false);
          // Nobody passes the limit by a person of his own.
          if (first.needsIndependent || isAbove(moves(by.lately.aloneMicroUsd), limitMicroUsd))
            expect(areIndependent(by, requester)).toBe(true);
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
    const approved = (at: Date) =>
      decideApproval(requested(), { type: 'approved', by: BOB, requester: ANN, limitMicroUsd: null, at });
    expect(approved(after(APPROVAL_PATIENCE_MS - 1)).ok).toBe(true);
    expect(approved(after(APPROVAL_PATIENCE_MS))).toEqual({ ok: false, error: 'over' });
    const passed = (at: Date) => decideApproval(requested(), { type: 'time_passed', at });
    expect(passed(after(APPROVAL_PATIENCE_MS - 1)).ok).toBe(false);
    expect(passed(after(APPROVAL_PATIENCE_MS))).toMatchObject({ value: { status: 'expired' } });
  });

  test('a requester whose role is gone cannot be approved, and can be refused', () => {
    for (const requester of [null, { ...ANN, role: 'accountant' } as const]) {
      const event = { type: 'approved', by: BOB, requester, limitMicroUsd: null, at: AT } as const;
      expect(decideApproval(requested(), event)).toEqual({ ok: false, error: 'requester_gone' });
    }
    expect(decideApproval(requested(), { type: 'refused', by: BOB, note: null, at: AT }).ok).toBe(true);
  });

  test('whoever let the other in cannot approve it, and can refuse it; nor can two that a third one let in', () => {
    const approved = (by: Partial<Approver>, requester: Partial<Standing>, change: Partial<Approval> = {}) =>
      decideApproval(requested(change), {
        ...{ type: 'approved', by: { ...BOB, ...by }, requester: { ...ANN, ...requester } },
        ...{ limitMicroUsd: 100n, at: AT },
      });
    const refused = { ok: false, error: 'not_independent' } as const;
    expect(approved({ sponsors: ['ann'] }, {})).toEqual(refused);
    expect(approved({}, { sponsors: ['cy', 'bob'] })).toEqual(refused);
    expect(approved({ sponsors: ['cy'] }, { sponsors: ['cy'] })).toEqual(refused);
    expect(approved({ sponsors: ['cy'] }, { sponsors: ['dan'] }).ok).toBe(true);
    expect(
      decideApproval(requested(), {
        ...{ type: 'refused', by: { ...BOB, sponsors: ['ann'] }, note: null, at: AT },
      }).ok,
    ).toBe(true);
  });

  test('what the approver could order alone needs nobody independent', () => {
    const own = (lately: bigint, limitMicroUsd: bigint | null, needsIndependent = false) =>
      decideApproval(requested({ amountMicroUsd: 60n, needsIndependent }), {
        ...{ type: 'approved', requester: { ...ANN, sponsors: ['bob'] }, limitMicroUsd, at: AT },
        by: { ...BOB, lately: { aloneMicroUsd: lately, refundsMicroUsd: 0n } },
      }).ok;
    expect([own(40n, 100n), own(41n, 100n), own(41n, null), own(0n, null, true)]).toEqual([
      ...[true, false],
      ...[true, false],
    ]);
  });

  test('an offer of a refund is approved up to what is left of the approver’s day', () => {
    const offer = requested({ kind: 'refund_offer', amountMicroUsd: 5_000_000n, needsIndependent: false });
    const approved = (refundLimitMicroUsd: bigint | null, refundsMicroUsd = 0n) =>
      decideApproval(offer, {
        ...{ type: 'approved', requester: { ...ANN, role: 'support' }, limitMicroUsd: null, at: AT },
        by: { ...BOB, role: 'support', refundLimitMicroUsd, lately: { aloneMicroUsd: 0n, refundsMicroUsd } },
      }).ok;
    expect([approved(4_999_999n), approved(5_000_000n), approved(null)]).toEqual([false, true, true]);
    expect([approved(5_000_001n, 1n), approved(5_000_001n, 2n)]).toEqual([true, false]);
  });

  test('nobody approves or refuses what is their own, not even what they could order alone', () => {
    const mine = requested({ needsIndependent: false });
    const by = { ...BOB, userId: 'ann' };
    const events: ApprovalEvent[] = [
      { type: 'approved', by, requester: ANN, limitMicroUsd: null, at: AT },
      { type: 'refused', by, note: null, at: AT },
    ];
    for (const event of events) expect(decideApproval(mine, event)).toEqual({ ok: false, error: 'own' });
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
