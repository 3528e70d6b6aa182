/** What waits for a second person, and what was carried out. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { Approval } from '../../../domain/accounts/approval.ts';
import type { ApprovalQueries, ApprovalRepository } from '../../../ports/accounts/approvals.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals } from '../schema/columns.ts';
import { approvals as a } from '../schema/console/approvals.ts';
import { type RowOf, statement } from '../statement.ts';
import { insertInto, listOf, nullable, total, updateById, value } from '../statement-parts.ts';

const APPROVAL = getTableColumns(a);
type ApprovalRow = RowOf<typeof APPROVAL>;

const INSERT = statement({
  given: APPROVAL,
  selects: { id: a.id },
  text: (values, select) => sql`${insertInto(a, values)} on conflict do nothing returning ${select}`,
});
const OF_FORM = statement({
  given: { requestedBy: a.requestedBy, formId: a.formId },
  selects: APPROVAL,
  text: ({ requestedBy, formId }, select) =>
    sql`select ${select} from ${a} where ${a.requestedBy} = ${requestedBy} and ${a.formId} = ${formId}`,
});
const FIND = statement({
  given: { id: a.id },
  selects: APPROVAL,
  text: ({ id }, select) => sql`select ${select} from ${a} where ${a.id} = ${id}`,
});
const LOCK = statement({
  given: { id: a.id },
  selects: APPROVAL,
  text: ({ id }, select) => sql`select ${select} from ${a} where ${a.id} = ${id} for no key update`,
});
const SAVE = statement({
  given: {
    ...{ id: a.id, status: a.status, decidedBy: a.decidedBy, decidedByName: a.decidedByName },
    ...{ note: a.note, made: a.made, failureCode: a.failureCode, failureMessage: a.failureMessage },
    ...{ decidedAt: a.decidedAt, endedAt: a.endedAt },
  },
  selects: { id: a.id },
  text: (given, select) => updateById(a, given, select),
});
const LOCK_USER = statement({
  given: { userId: value<string>('text') },
  text: ({ userId }) => sql`select pg_advisory_xact_lock(hashtextextended('approvals ' || ${userId}, 0))`,
});
const isMoved = sql`${a.status} in ('approved', 'done')`;
const MOVED_LATELY = statement({
  given: {
    ...{ userId: a.requestedBy, merchantId: nullable(a.merchantId), sandbox: nullable(a.sandbox) },
    since: a.createdAt,
  },
  selects: {
    aloneMicroUsd: total(a.amountMicroUsd, sql`${a.decidedBy} is null or not ${a.needsIndependent}`),
    refundsMicroUsd: total(a.amountMicroUsd, equals(a.kind, 'refund_offer')),
  },
  text: ({ userId, merchantId, sandbox, since }, select) => sql`
    select ${select} from ${a}
    where ((${a.requestedBy} = ${userId} and ${a.createdAt} > ${since} and ${a.decidedBy} is null and ${isMoved})
        or (${a.decidedBy} = ${userId} and ${a.decidedAt} > ${since} and ${isMoved}))
      and ${a.merchantId} is not distinct from ${merchantId}
      and ${a.sandbox} is not distinct from ${sandbox}`,
});
const LOCK_OVERDUE = statement({
  given: { now: a.expiresAt, limit: value<number>('bigint') },
  selects: APPROVAL,
  text: ({ now, limit }, select) => sql`
    select ${select} from ${a} where ${equals(a.status, 'waiting')} and ${a.expiresAt} <= ${now}
    order by ${a.expiresAt}, ${a.id} limit ${limit} for no key update skip locked`,
});
const APPROVED_BY = statement({
  given: { at: a.createdAt, limit: value<number>('bigint') },
  selects: APPROVAL,
  text: ({ at, limit }, select) => sql`
    select ${select} from ${a}
    where ${equals(a.status, 'approved')} and coalesce(${a.decidedAt}, ${a.createdAt}) <= ${at}
    order by ${a.createdAt}, ${a.id} limit ${limit}`,
});

export function approvalRepository(on: Sql): ApprovalRepository {
  return {
    insertIfAbsent: async (approval) => (await INSERT(on, approvalToRow(approval))).length === 1,
    ofForm: async (requestedBy, formId) => first(await OF_FORM(on, { requestedBy, formId })),
    async lockUser(userId) {
      await LOCK_USER(on, { userId });
    },
    lock: async (id) => first(await LOCK(on, { id })),
    async save(approval) {
      theOnly(await SAVE(on, approvalToRow(approval)), `save of approval ${approval.id}`);
    },
    movedLately: async (of) => theOnly(await MOVED_LATELY(on, of), `sums of user ${of.userId}`),
    lockOverdue: async (now, limit) => (await LOCK_OVERDUE(on, { now, limit })).map(approvalFromRow),
    approvedBy: async (at, limit) => (await APPROVED_BY(on, { at, limit })).map(approvalFromRow),
  };
}

const PAGE = {
  given: {
    ...{ merchantId: nullable(a.merchantId), sandbox: value<boolean>('boolean'), statuses: listOf(a.status) },
    limit: value<number>('bigint'),
  },
  selects: APPROVAL,
};
// Each by the index of its merchant, or of the rows without one.
const OF_MERCHANT = statement({
  ...PAGE,
  text: ({ merchantId, sandbox, statuses, limit }, select) => sql`
    select ${select} from ${a}
    where ${a.merchantId} = ${merchantId} and (${a.sandbox} is null or ${a.sandbox} = ${sandbox})
      and (cardinality(${statuses}) = 0 or ${a.status} = any (${statuses}))
    order by ${a.id} desc limit ${limit}`,
});
const OF_OPERATORS = statement({
  given: { statuses: PAGE.given.statuses, limit: PAGE.given.limit },
  selects: APPROVAL,
  text: ({ statuses, limit }, select) => sql`
    select ${select} from ${a}
    where ${a.merchantId} is null and (cardinality(${statuses}) = 0 or ${a.status} = any (${statuses}))
    order by ${a.id} desc limit ${limit}`,
});
const WAITING = statement({
  selects: { count: sql<number>`count(*)`.mapWith(Number) },
  text: (_given, select) => sql`
    select ${select} from ${a} where ${equals(a.status, 'waiting')} and ${a.merchantId} is null`,
});

export function approvalQueries(on: Sql): ApprovalQueries {
  return {
    async approvals({ merchantId, sandbox, statuses, limit }) {
      const rows =
        merchantId === null
          ? await OF_OPERATORS(on, { statuses, limit })
          : await OF_MERCHANT(on, { merchantId, sandbox, statuses, limit });
      return rows.map(approvalFromRow);
    },
    approval: async (id) => first(await FIND(on, { id })),
    approvalsWaiting: async () => theOnly(await WAITING(on), 'count of approvals').count,
  };
}

const first = ([row]: readonly ApprovalRow[]): Approval | null =>
  row === undefined ? null : approvalFromRow(row);

export function approvalToRow({ failure, ...approval }: Approval): ApprovalRow {
  const { code: failureCode = null, message: failureMessage = null } = failure ?? {};
  return { ...approval, failureCode, failureMessage };
}

export function approvalFromRow({ failureCode, failureMessage, ...row }: ApprovalRow): Approval {
  const failure =
    failureCode === null || failureMessage === null ? null : { code: failureCode, message: failureMessage };
  return { ...row, failure };
}
