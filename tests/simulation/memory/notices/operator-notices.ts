/** Notices to operators and their messages, in memory. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import {
  GIVEN_UP_AFTER_MS,
  GROUPED_MS,
  type NoticeMessageKind,
  type OperatorNotice,
} from '../../../../src/domain/notices/operator-notice.ts';
import type {
  NoticeRecipient,
  OperatorNoticeRepository,
} from '../../../../src/ports/notices/operator-notice-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText, byTime } from '../store/orders.ts';
import { storedJson } from '../store/texts.ts';

export function operatorNoticeRepository(store: MemoryStore): OperatorNoticeRepository {
  const { operatorNotices: notices, operatorNoticeDeliveries: deliveries } = store.tables;
  return {
    async lockNewest({ event, subject }) {
      let newest: OperatorNotice | null = null;
      for (const row of notices.by('event', event))
        if (row.subject === subject && (newest === null || isNewer(row, newest))) newest = row;
      return newest;
    },

    openOf: async (event) =>
      notices
        .by('event', event)
        .filter(({ status }) => status === 'open')
        .sort((a, b) => byText(a.subject, b.subject) || (isNewer(a, b) ? 1 : -1)),

    async save({ id, ...given }) {
      const { event, subject, status, firstAt, lastAt, count, overAt } = given;
      const fields = storedJson(given.fields);
      const content = { event, subject, fields, status, firstAt, lastAt, count, overAt };
      notices.insertOrUpdate({ id, ...content }, () => content);
    },

    async plan({ to, now }) {
      const dayAgo = now.getTime() - GIVEN_UP_AFTER_MS;
      for (const notice of notices.all()) {
        if (notice.lastAt.getTime() <= dayAgo && (notice.overAt?.getTime() ?? dayAgo) <= dayAgo) continue;
        for (const recipient of to)
          for (const message of messagesOf(store, notice, recipient, now))
            deliveries.insertUnlessThere({
              ...{ noticeId: notice.id, message, channel: recipient.channel, recipient: recipient.recipient },
              ...{ status: 'queued', tries: 0, dueAt: now, createdAt: now },
            });
      }
    },

    async take({ channel, now, until, limit }) {
      const due = deliveries
        .by('status', 'queued')
        .filter((row) => row.channel === channel && row.dueAt <= now)
        .sort(
          (a, b) =>
            byTime(a.dueAt, b.dueAt) ||
            byText(a.noticeId, b.noticeId) ||
            byText(a.message, b.message) ||
            byText(a.recipient, b.recipient),
        );
      return due.slice(0, limit).map((row) => ({
        delivery: deliveries.update(row, { tries: row.tries + 1, dueAt: until }),
        notice: notices.find(row.noticeId)!,
      }));
    },

    async saveDelivery({ noticeId, message, channel, recipient, status, dueAt, failure, told }) {
      const row = deliveries.find(noticeId, message, channel, recipient);
      deliveries.update(theOnly(row === undefined ? [] : [row], `save of a message of notice ${noticeId}`), {
        ...{ status, dueAt, failure, told },
      });
    },

    async forget({ before, limit }) {
      const old = notices
        .where(({ lastAt }) => lastAt < before)
        .sort((a, b) => a.lastAt.getTime() - b.lastAt.getTime())
        .slice(0, limit);
      for (const notice of old) {
        for (const message of deliveries.by('noticeId', notice.id)) deliveries.delete(message);
        notices.delete(notice);
      }
      return old.length;
    },
  };
}

function isNewer(a: OperatorNotice, b: OperatorNotice): boolean {
  const apart = a.firstAt.getTime() - b.firstAt.getTime();
  return apart > 0 || (apart === 0 && byText(a.id, b.id) > 0);
}

/** What a recipient is to be told of a notice, whether it is queued already or not. */
function messagesOf(
  { tables }: MemoryStore,
  { id, status, count, firstAt }: OperatorNotice,
  { channel, recipient }: NoticeRecipient,
  now: Date,
): readonly NoticeMessageKind[] {
  const messages: NoticeMessageKind[] = [];
  const raised = tables.operatorNoticeDeliveries.find(id, 'raised', channel, recipient);
  const knows = raised?.status === 'sent' && raised.told !== 'over';
  const age = now.getTime() - firstAt.getTime();
  if (age < GIVEN_UP_AFTER_MS && status !== 'renewed') messages.push('raised');
  if (count > 1 && (status === 'noted' || status === 'open') && age >= GROUPED_MS && knows)
    messages.push('again');
  if (status === 'over' && knows) messages.push('over');
  return messages;
}
