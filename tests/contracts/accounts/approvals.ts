/** The contract of ApprovalRepository and ApprovalQueries, and of the runs of reconciliation. */
import { describe, expect, test } from 'bun:test';
import {
  APPROVAL_PATIENCE_MS,
  type Approval,
  type ApprovalRequest,
  type NeededApprover,
  newApproval,
} from '../../../src/domain/accounts/approval.ts';
import type { ApprovalQueries } from '../../../src/ports/accounts/approvals.ts';
import { anId } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

const AT = new Date('2026-06-01T12:00:00Z');
const after = (ms: number): Date => new Date(AT.getTime() + ms);

export interface OpenedApprovals extends Opened {
  readonly queries: ApprovalQueries;
}

export function anApproval(change: Partial<Approval> = {}, needed: NeededApprover = 'independent'): Approval {
  const request: ApprovalRequest = {
    kind: 'payout',
    ...{ id: anId(), merchantId: null, sandbox: false, amountMicroUsd: 5_000_000n },
    ...{ order: { address: '0xabc', amount: '0.10000000000000000001', items: [{ ref: 'ä "b"' }] } },
    ...{ formId: crypto.randomUUID(), uniqId: crypto.randomUUID(), createdAt: AT },
    ...{ requestedBy: anId(), requestedByName: 'ann@shop.example' },
  };
  return { ...newApproval(request, needed), ...change };
}

export function describeApprovals(name: string, open: () => Promise<OpenedApprovals>): void {
  describe(`${name}: approvals`, () => {
    const storage = openedFor(open);
    const lock = (id: string) => storage.run(({ approvals }) => approvals.lock(id));
    const stored = async (
      change: Partial<Approval> = {},
      needed: NeededApprover = 'independent',
    ): Promise<Approval> => {
      const merchantId = change.merchantId === undefined ? (await storage.merchant()).id : change.merchantId;
      const approval = anApproval({ ...change, merchantId }, needed);
      expect(await storage.run(({ approvals }) => approvals.insertIfAbsent(approval))).toBe(true);
      return approval;
    };

    test('what was stored is read back, and so is each end of it', async () => {
      const approval = await stored();
      expect(await lock(approval.id)).toEqual(approval);
      expect(await storage.ports().queries.approval(approval.id)).toEqual(approval);
      const decided = { decidedBy: anId(), decidedByName: 'bob@shop.example', decidedAt: after(1_000) };
      const ends: readonly Partial<Approval>[] = [
        { ...decided, status: 'approved' },
        { ...decided, status: 'done', made: { payout_id: anId() }, endedAt: after(2_000) },
        {
          ...{ ...decided, status: 'failed', made: null, endedAt: after(3_000) },
          failure: { code: 'insufficient_balance', message: 'The balance is gone.' },
        },
        { ...decided, status: 'refused', note: 'ask first', endedAt: after(3_000) },
        { status: 'withdrawn', endedAt: after(3_000) },
        { status: 'expired', endedAt: after(APPROVAL_PATIENCE_MS) },
      ];
      for (const end of ends) {
        const next = { ...approval, ...end };
        await storage.run(({ approvals }) => approvals.save(next));
        expect(await lock(approval.id)).toEqual(next);
      }
    });

    test('an unknown one is null', async () => {
      expect(await lock(anId())).toBeNull();
      expect(await storage.ports().queries.approval(anId())).toBeNull();
    });

    test('a form is stored once a user, and found again', async () => {
      const approval = await stored();
      const { requestedBy, formId } = approval;
      const again = anApproval({ merchantId: approval.merchantId, requestedBy, formId });
      expect(await storage.run(({ approvals }) => approvals.insertIfAbsent(again))).toBe(false);
      const found = (user: string) => storage.run(({ approvals }) => approvals.ofForm(user, formId));
      expect(await found(requestedBy)).toEqual(approval);
      expect(await found(anId())).toBeNull();
      await stored({ formId });
    });

    test('of two at once that send one form, one is stored', async () => {
      const { id: merchantId } = await storage.merchant();
      const one = anApproval({ merchantId });
      const other = anApproval({ merchantId, requestedBy: one.requestedBy, formId: one.formId });
      const made = await Promise.all(
        [one, other].map((approval) => storage.run(({ approvals }) => approvals.insertIfAbsent(approval))),
      );
      expect(made.filter((isMade) => isMade)).toHaveLength(1);
    });

    test('what a user ordered alone or approved counts, in its merchant and environment, since then', async () => {
      const { id: merchantId } = await storage.merchant();
      const userId = anId();
      const of = { merchantId, requestedBy: userId };
      const sums = async (change: { sandbox?: boolean; since?: Date; userId?: string } = {}) => {
        const whose = { merchantId, userId, sandbox: false, since: after(-1), ...change };
        const found = await storage.run(({ approvals }) => approvals.movedLately(whose));
        return [found.aloneMicroUsd, found.refundsMicroUsd];
      };
      expect(await sums()).toEqual([0n, 0n]);
      await stored({ ...of, amountMicroUsd: 1n }, 'nobody');
      const done = { status: 'done', made: {}, endedAt: AT } as const;
      await stored({ ...of, kind: 'refund_offer', amountMicroUsd: 2n, ...done }, 'nobody');
      const failure = { code: 'x', message: 'y' };
      await stored({ ...of, amountMicroUsd: 4n, status: 'failed', failure, endedAt: AT }, 'nobody');
      await stored({ ...of, amountMicroUsd: 8n });
      const decided = { decidedBy: anId(), decidedByName: 'bob', decidedAt: AT };
      await stored({ ...of, amountMicroUsd: 16n, status: 'approved', ...decided });
      await stored({ ...of, kind: 'refund_offer', amountMicroUsd: 2_048n, status: 'approved', ...decided });
      await stored({ ...of, amountMicroUsd: 32n, sandbox: true }, 'nobody');
      await stored({ amountMicroUsd: 64n, requestedBy: userId }, 'nobody');
      await stored({ ...of, amountMicroUsd: null }, 'nobody');
      expect(await sums()).toEqual([3n, 2n]);
      const approved = { merchantId, status: 'approved', ...decided, decidedBy: userId } as const;
      await stored({ ...approved, amountMicroUsd: 128n });
      await stored({ ...approved, kind: 'refund_offer', amountMicroUsd: 256n });
      await stored({ ...approved, kind: 'refund_offer', amountMicroUsd: 512n }, 'larger_limit');
      expect(await sums()).toEqual([515n, 770n]);
      expect(await sums({ sandbox: true })).toEqual([32n, 0n]);
      expect(await sums({ since: AT })).toEqual([0n, 0n]);
      expect(await sums({ userId: anId() })).toEqual([0n, 0n]);
      const booking = { kind: 'capital_booking', merchantId: null, sandbox: null } as const;
      await stored({ ...booking, requestedBy: userId, amountMicroUsd: 1_024n }, 'nobody');
      const operators = { userId, merchantId: null, sandbox: null, since: after(-1) };
      const found = await storage.run(({ approvals }) => approvals.movedLately(operators));
      expect(found).toEqual({ aloneMicroUsd: 1_024n, refundsMicroUsd: 0n });
    });

    test('orders of one user wait for each other', async () => {
      const [user, order] = [anId(), [] as string[]];
      const first = storage.run(async ({ approvals }) => {
        await approvals.lockUser(user);
        await Bun.sleep(50);
        order.push('first');
      });
      await Bun.sleep(20);
      await storage.run(async ({ approvals }) => {
        await approvals.lockUser(user);
        order.push('second');
      });
      await first;
      expect(order).toEqual(['first', 'second']);
    });

    test('waiting ones are overdue when their time is over, the oldest first', async () => {
      const [early, next] = [anId(), anId()];
      await stored({ id: next, expiresAt: after(-2_000) });
      await stored({ id: early, expiresAt: after(-2_000) });
      const late = await stored({ expiresAt: after(-1_000) });
      const open = await stored({ expiresAt: after(1_000) });
      const approved = await stored({ expiresAt: after(-3_000) }, 'nobody');
      const found = await storage.run(({ approvals }) => approvals.lockOverdue(AT, 100));
      const ids = found
        .map(({ id }) => id)
        .filter((id) => [early, next, late.id, open.id, approved.id].includes(id));
      expect(ids).toEqual([early, next, late.id]);
      expect(await storage.run(({ approvals }) => approvals.lockOverdue(AT, 1))).toHaveLength(1);
    });

    test('approved ones are left over from their decision on, or from their order without one', async () => {
      const alone = await stored({ createdAt: after(-10_000) }, 'nobody');
      const decided = { decidedBy: anId(), decidedByName: 'bob', status: 'approved' } as const;
      const lately = await stored({ ...decided, createdAt: after(-10_000), decidedAt: after(-1_000) });
      const waiting = await stored({ createdAt: after(-10_000) });
      const left = async (at: Date) => {
        const found = await storage.run(({ approvals }) => approvals.approvedBy(at, 1_000));
        return found.map(({ id }) => id).filter((id) => [alone, lately, waiting].some((a) => a.id === id));
      };
      expect(await left(after(-5_000))).toEqual([alone.id]);
      expect(await left(AT)).toEqual([alone.id, lately.id]);
    });

    test('lists show an environment with what concerns both, and operators their own, newest first', async () => {
      const { queries } = storage.ports();
      const { id: merchantId } = await storage.merchant();
      const live = await stored({ merchantId });
      const sandbox = await stored({ merchantId, sandbox: true }, 'nobody');
      const both = await stored({ merchantId, kind: 'approval_limit', sandbox: null, amountMicroUsd: null });
      const before = await queries.approvalsWaiting();
      const operators = await stored({ merchantId: null, kind: 'payout_release', sandbox: null });
      const ids = async (of: Partial<Parameters<ApprovalQueries['approvals']>[0]>) =>
        (await queries.approvals({ merchantId, sandbox: false, statuses: [], limit: 100, ...of })).map(
          ({ id }) => id,
        );
      expect(await ids({})).toEqual([both.id, live.id]);
      expect(await ids({ sandbox: true })).toEqual([both.id, sandbox.id]);
      expect(await ids({ sandbox: true, statuses: ['approved'] })).toEqual([sandbox.id]);
      expect(await ids({ limit: 1 })).toEqual([both.id]);
      expect((await ids({ merchantId: null }))[0]).toBe(operators.id);
      expect(await queries.approvalsWaiting()).toBe(before + 1);
    });

    test('nobody is stored as having decided on the own request', async () => {
      const approval = await stored();
      const own = { ...approval, status: 'approved', decidedBy: approval.requestedBy } as const;
      const save = storage.run(({ approvals }) =>
        approvals.save({ ...own, decidedByName: 'ann', decidedAt: AT }),
      );
      await expect(save).rejects.toThrow();
    });
  });

  describe(`${name}: runs of reconciliation`, () => {
    const storage = openedFor(open);

    test('the last one is found, and old ones are forgotten', async () => {
      const last = () => storage.run(({ reconciliations }) => reconciliations.last());
      expect(await last()).toBeNull();
      const old = { at: AT, agree: true, faults: 0, chains: [] };
      const chains = [{ chain: 'ethereum', differences: 2, checked: false }];
      const newest = { at: after(3_600_000), agree: false, faults: 3, chains };
      await storage.run(async ({ reconciliations }) => {
        await reconciliations.append(newest);
        await reconciliations.append(old);
      });
      expect(await last()).toEqual(newest);
      await storage.run(({ reconciliations }) => reconciliations.forgetBefore(after(1)));
      expect(await last()).toEqual(newest);
      await storage.run(({ reconciliations }) => reconciliations.forgetBefore(after(3_600_001)));
      expect(await last()).toBeNull();
    });
  });
}
