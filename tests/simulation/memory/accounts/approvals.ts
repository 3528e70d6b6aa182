/** What waits for a second person, and what was carried out, in memory. */
import { approvalFromRow, approvalToRow } from '../../../../src/adapters/postgres/accounts/approvals.ts';
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import type { Approval, MovedLately } from '../../../../src/domain/accounts/approval.ts';
import type { ApprovalQueries, ApprovalRepository } from '../../../../src/ports/accounts/approvals.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText, byTime } from '../store/orders.ts';
import { storedJson } from '../store/texts.ts';

export function approvalRepository(store: MemoryStore): ApprovalRepository {
  const { approvals } = store.tables;
  const find = async (id: string) => approvalOf(store, id);
  return {
    async insertIfAbsent(approval) {
      checkApproval(approval);
      const row = approvalToRow(approval);
      const texts = { order: storedJson(row.order), made: row.made && storedJson(row.made) };
      return approvals.insertUnlessThere({ ...row, ...texts }) !== null;
    },

    async ofForm(requestedBy, formId) {
      const row = approvals.by('formId', formId).find((each) => each.requestedBy === requestedBy);
      return row === undefined ? null : approvalFromRow(row);
    },

    // Transactions run one after the other.
    lockUser: async () => undefined,
    lock: find,

    async save(approval) {
      checkApproval(approval);
      const there = approvals.find(approval.id);
      const row = theOnly(there === undefined ? [] : [there], `save of approval ${approval.id}`);
      const { status, decidedBy, decidedByName, note, made, decidedAt, endedAt, ...rest } =
        approvalToRow(approval);
      approvals.update(row, {
        ...{ status, decidedBy, decidedByName, note, made: made && storedJson(made), decidedAt, endedAt },
        ...{ failureCode: rest.failureCode, failureMessage: rest.failureMessage },
      });
    },

    movedLately: async (of) => movedLately(store, of),

    lockOverdue: async (now, limit) =>
      approvals
        .by('status', 'waiting')
        .filter(({ expiresAt }) => expiresAt <= now)
        .sort((a, b) => byTime(a.expiresAt, b.expiresAt) || byText(a.id, b.id))
        .slice(0, limit)
        .map(approvalFromRow),

    approvedBy: async (at, limit) =>
      approvals
        .by('status', 'approved')
        .filter(({ decidedAt, createdAt }) => (decidedAt ?? createdAt) <= at)
        .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || byText(a.id, b.id))
        .slice(0, limit)
        .map(approvalFromRow),
  };
}

export function approvalQueries(store: MemoryStore): ApprovalQueries {
  const { approvals } = store.tables;
  return {
    approvals: async ({ merchantId, sandbox, statuses, limit }) =>
      approvals
        .where(
          (row) =>
            row.merchantId === merchantId &&
            (merchantId === null || row.sandbox === null || row.sandbox === sandbox) &&
            (statuses.length === 0 || statuses.includes(row.status)),
        )
        .sort((a, b) => byText(b.id, a.id))
        .slice(0, limit)
        .map(approvalFromRow),
    approval: async (id) => approvalOf(store, id),
    approvalsWaiting: async () =>
      approvals.by('status', 'waiting').filter(({ merchantId }) => merchantId === null).length,
  };
}

function approvalOf({ tables }: MemoryStore, id: string): Approval | null {
  const row = tables.approvals.find(id);
  return row === undefined ? null : approvalFromRow(row);
}

function movedLately(
  { tables }: MemoryStore,
  { userId, merchantId, sandbox, since }: Parameters<ApprovalRepository['movedLately']>[0],
): MovedLately {
  let [aloneMicroUsd, refundsMicroUsd] = [0n, 0n];
  for (const row of tables.approvals.all()) {
    if (row.merchantId !== merchantId || row.sandbox !== sandbox) continue;
    if (row.status !== 'approved' && row.status !== 'done') continue;
    const isAlone = row.decidedBy === null && row.requestedBy === userId && row.createdAt > since;
    const isApproval = row.decidedBy === userId && row.decidedAt !== null && row.decidedAt > since;
    if (!isAlone && !isApproval) continue;
    const amount = row.amountMicroUsd ?? 0n;
    if (row.decidedBy === null || !row.needsIndependent) aloneMicroUsd += amount;
    if (row.kind === 'refund_offer') refundsMicroUsd += amount;
  }
  return { aloneMicroUsd, refundsMicroUsd };
}

function checkApproval({ decidedBy, requestedBy }: Approval): void {
  check('approvals_four_eyes', decidedBy === null || decidedBy !== requestedBy);
}
