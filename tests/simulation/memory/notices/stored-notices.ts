/** Notices as operators read them, in memory. */
import type { NoticeDeliveryStatus } from '../../../../src/domain/notices/operator-notice.ts';
import type { StoredNotice } from '../../../../src/ports/notices/stored-notice.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

export function storedNotices({ tables }: MemoryStore, limit: number): readonly StoredNotice[] {
  const isOpen = ({ status }: { readonly status: string }): number => (status === 'open' ? 1 : 0);
  return [...tables.operatorNotices.all()]
    .sort((a, b) => isOpen(b) - isOpen(a) || b.lastAt.getTime() - a.lastAt.getTime() || byText(b.id, a.id))
    .slice(0, limit)
    .map((notice) => {
      const messages = tables.operatorNoticeDeliveries.by('noticeId', notice.id);
      const count = (status: NoticeDeliveryStatus) =>
        messages.filter((each) => each.status === status).length;
      return { ...notice, sent: count('sent'), unsent: count('queued'), givenUp: count('given_up') };
    });
}
