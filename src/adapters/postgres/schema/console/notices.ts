/** Notices to operators, their messages, and the record of the newest backup. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { BACKUP_KINDS, type BackupKind } from '../../../../domain/backup-kind.ts';
import {
  NOTICE_CHANNELS,
  NOTICE_DELIVERY_STATUSES,
  NOTICE_FAILURES,
  NOTICE_MESSAGES,
  NOTICE_STATUSES,
  type NoticeChannelName,
  type NoticeDeliveryStatus,
  type NoticeFailure,
  type NoticeMessageKind,
  type NoticeStatus,
} from '../../../../domain/notices/operator-notice.ts';
import { instant, isId, jsonText, oneOf } from '../columns.ts';

export const operatorNotices = pgTable(
  'operator_notices',
  {
    id: text('id').primaryKey(),
    /** Any name: a new alarm changes no table. */
    event: text('event').notNull(),
    subject: text('subject').notNull(),
    fields: jsonText('fields').notNull(),
    status: text('status').$type<NoticeStatus>().notNull(),
    firstAt: instant('first_at').notNull(),
    lastAt: instant('last_at').notNull(),
    count: integer('count').notNull(),
    overAt: instant('over_at'),
  },
  (t) => [
    index('operator_notices_newest').on(t.event, t.subject, t.firstAt, t.id),
    index('operator_notices_by_last').on(t.lastAt),
    index('operator_notices_open').on(t.lastAt).where(sql`${t.status} = 'open'`),
    check('operator_notices_id', isId(t.id)),
    check('operator_notices_event', sql`${t.event} ~ '^[a-z_]+\\.[a-z_]+$'`),
    check('operator_notices_status', oneOf(t.status, NOTICE_STATUSES)),
    check('operator_notices_over', sql`(${t.status} = 'over') = (${t.overAt} is not null)`),
    check('operator_notices_times', sql`${t.firstAt} <= ${t.lastAt} and ${t.firstAt} <= ${t.overAt}`),
    check('operator_notices_count', sql`${t.count} >= 1`),
  ],
);

export const operatorNoticeDeliveries = pgTable(
  'operator_notice_deliveries',
  {
    noticeId: text('notice_id')
      .notNull()
      .references(() => operatorNotices.id, { onDelete: 'cascade' }),
    message: text('message').$type<NoticeMessageKind>().notNull(),
    channel: text('channel').$type<NoticeChannelName>().notNull(),
    recipient: text('recipient').notNull(),
    status: text('status').$type<NoticeDeliveryStatus>().notNull(),
    tries: integer('tries').notNull(),
    dueAt: instant('due_at').notNull(),
    failure: text('failure').$type<NoticeFailure>(),
    /** The status of the notice that the message reported; null before it is sent. */
    told: text('told').$type<NoticeStatus>(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({
      name: 'operator_notice_deliveries_pk',
      columns: [t.noticeId, t.message, t.channel, t.recipient],
    }),
    index('operator_notice_deliveries_due').on(t.dueAt).where(sql`${t.status} = 'queued'`),
    check('operator_notice_deliveries_message', oneOf(t.message, NOTICE_MESSAGES)),
    check('operator_notice_deliveries_channel', oneOf(t.channel, NOTICE_CHANNELS)),
    check(
      'operator_notice_deliveries_recipient',
      sql`char_length(${t.recipient}) <= 254 and (${t.recipient} = '') = (${t.channel} = 'webhook')`,
    ),
    check('operator_notice_deliveries_status', oneOf(t.status, NOTICE_DELIVERY_STATUSES)),
    check(
      'operator_notice_deliveries_failure',
      sql`${oneOf(t.failure, NOTICE_FAILURES)} and (${t.failure} is not null or ${t.status} <> 'given_up')`,
    ),
    check(
      'operator_notice_deliveries_told',
      sql`${oneOf(t.told, NOTICE_STATUSES)} and (${t.told} is not null) = (${t.status} = 'sent')`,
    ),
    check('operator_notice_deliveries_tries', sql`${t.tries} >= 0`),
  ],
);

export const newestBackup = pgTable(
  'newest_backup',
  {
    singleton: boolean('singleton').primaryKey(),
    at: instant('at').notNull(),
    kind: text('kind').$type<BackupKind>().notNull(),
  },
  (t) => [
    check('newest_backup_singleton', sql`${t.singleton}`),
    check('newest_backup_kind', oneOf(t.kind, BACKUP_KINDS)),
  ],
);
