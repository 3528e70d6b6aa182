/** The audit log: who did what. Triggers refuse to change or delete an entry (the migration). */
import { sql } from 'drizzle-orm';
import { check, index, pgTable, text } from 'drizzle-orm/pg-core';
import {
  ACTOR_KINDS,
  type ActorKind,
  AUDIT_ACTION,
  AUDIT_SUBJECTS,
  type AuditSubject,
} from '../../../../domain/audit/audit-entry.ts';
import { equals, instant, isId, jsonText, literals, oneOf } from '../columns.ts';

/** It refers to no other table, so that nothing else decides what stays in it. */
export const auditLog = pgTable(
  'audit_log',
  {
    /** Ids sort by time, and so do the pages of the log. */
    id: text('id').primaryKey(),
    at: instant('at').notNull(),
    actorKind: text('actor_kind').$type<ActorKind>().notNull(),
    actorUserId: text('actor_user_id'),
    actorName: text('actor_name').notNull(),
    actorIp: text('actor_ip'),
    action: text('action').notNull(),
    subject: text('subject').$type<AuditSubject>().notNull(),
    subjectId: text('subject_id'),
    merchantId: text('merchant_id'),
    note: text('note'),
    before: jsonText('before'),
    after: jsonText('after'),
  },
  (t) => [
    index('audit_log_by_merchant').on(t.merchantId, t.id).where(sql`${t.merchantId} is not null`),
    index('audit_log_by_subject').on(t.subjectId, t.id).where(sql`${t.subjectId} is not null`),
    index('audit_log_by_time').on(t.at, t.id),
    check('audit_log_id', isId(t.id)),
    check('audit_log_actor_kind', oneOf(t.actorKind, ACTOR_KINDS)),
    check('audit_log_actor', sql`(${equals(t.actorKind, 'user')}) = (${t.actorUserId} is not null)`),
    check('audit_log_actor_name', sql`${t.actorName} <> ''`),
    check('audit_log_action', sql`${t.action} ~ ${literals([AUDIT_ACTION.source])}`),
    check('audit_log_subject', oneOf(t.subject, AUDIT_SUBJECTS)),
  ],
);
