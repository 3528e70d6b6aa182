/** What waits for a second person (decision 0043), and the hourly reconciliations of workers. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import {
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  type ApprovalKind,
  type ApprovalStatus,
  ENVIRONMENT_KINDS,
  OPERATOR_APPROVAL_KINDS,
} from '../../../../domain/accounts/approval.ts';
import { allOrNone, equals, instant, isId, jsonText, notNegative, oneOf, units } from '../columns.ts';
import { merchants } from '../merchants.ts';

export const approvals = pgTable(
  'approvals',
  {
    id: text('id').primaryKey(),
    kind: text('kind').$type<ApprovalKind>().notNull(),
    merchantId: text('merchant_id').references(() => merchants.id),
    sandbox: boolean('sandbox'),
    status: text('status').$type<ApprovalStatus>().notNull(),
    order: jsonText('order').notNull(),
    amountMicroUsd: units('amount_micro_usd'),
    needsIndependent: boolean('needs_independent').notNull().default(true),
    formId: uuid('form_id').notNull(),
    /** The X-Uniq-Id of what it pays. */
    uniqId: uuid('uniq_id').notNull(),
    requestedBy: text('requested_by').notNull(),
    requestedByName: text('requested_by_name').notNull(),
    decidedBy: text('decided_by'),
    decidedByName: text('decided_by_name'),
    note: text('note'),
    made: jsonText('made'),
    failureCode: text('failure_code'),
    failureMessage: text('failure_message'),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    decidedAt: instant('decided_at'),
    endedAt: instant('ended_at'),
  },
  (t) => [
    uniqueIndex('approvals_once_a_form').on(t.requestedBy, t.formId),
    uniqueIndex('approvals_uniq_id').on(t.uniqId),
    index('approvals_of_merchant').on(t.merchantId, t.id),
    index('approvals_waiting').on(t.expiresAt).where(sql`${t.status} = 'waiting'`),
    index('approvals_approved').on(t.createdAt).where(sql`${t.status} = 'approved'`),
    index('approvals_alone')
      .on(t.requestedBy, t.createdAt)
      .where(sql`${t.decidedBy} is null and ${t.status} in ('approved', 'done')`),
    index('approvals_by_decider').on(t.decidedBy, t.decidedAt).where(sql`${t.decidedBy} is not null`),
    check('approvals_id', isId(t.id)),
    check('approvals_kind', oneOf(t.kind, APPROVAL_KINDS)),
    check('approvals_merchant', sql`(${t.merchantId} is null) = (${oneOf(t.kind, OPERATOR_APPROVAL_KINDS)})`),
    check('approvals_sandbox', sql`(${t.sandbox} is not null) = (${oneOf(t.kind, ENVIRONMENT_KINDS)})`),
    check('approvals_status', oneOf(t.status, APPROVAL_STATUSES)),
    check('approvals_amount', notNegative(t.amountMicroUsd)),
    check('approvals_requested_by', sql`${isId(t.requestedBy)} and ${t.requestedByName} <> ''`),
    check('approvals_four_eyes', sql`${isId(t.decidedBy)} and ${t.decidedBy} <> ${t.requestedBy}`),
    check(
      'approvals_decided',
      sql`${allOrNone(t.decidedBy, t.decidedByName, t.decidedAt)}
        and (${t.decidedBy} is null or ${t.status} in ('approved', 'done', 'failed', 'refused'))
        and (${t.decidedBy} is not null or ${t.status} <> 'refused')`,
    ),
    check('approvals_note', sql`${t.note} is null or ${equals(t.status, 'refused')}`),
    check('approvals_made', sql`(${t.made} is not null) = (${equals(t.status, 'done')})`),
    check(
      'approvals_failure',
      sql`${allOrNone(t.failureCode, t.failureMessage)}
        and (${t.failureCode} is not null) = (${equals(t.status, 'failed')})`,
    ),
    check('approvals_ended', sql`(${t.endedAt} is null) = (${t.status} in ('waiting', 'approved'))`),
  ],
);

export const reconciliations = pgTable(
  'reconciliations',
  {
    at: instant('at').notNull(),
    agree: boolean('agree').notNull(),
    faults: integer('faults').notNull(),
    /** By chain: `differences`, a decimal, and `checked`. */
    chains: jsonText('chains').notNull(),
  },
  (t) => [index('reconciliations_at').on(t.at)],
);
