/** Notices as operators read them. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { NoticeDeliveryStatus } from '../../../domain/notices/operator-notice.ts';
import type { StoredNotice } from '../../../ports/notices/stored-notice.ts';
import type { Sql } from '../client/sql.ts';
import { equals } from '../schema/columns.ts';
import { operatorNoticeDeliveries as d, operatorNotices as n } from '../schema/console/notices.ts';
import { statement } from '../statement.ts';
import { value } from '../statement-parts.ts';

const messages = (status: NoticeDeliveryStatus) =>
  sql`(select count(*) from ${d} where ${d.noticeId} = ${n.id} and ${equals(d.status, status)})`.mapWith(
    Number,
  );
const LIST = statement({
  given: { limit: value<number>('bigint') },
  selects: {
    ...getTableColumns(n),
    sent: messages('sent'),
    unsent: messages('queued'),
    givenUp: messages('given_up'),
  },
  text: ({ limit }, select) => sql`
    select ${select} from ${n}
    order by (${equals(n.status, 'open')}) desc, ${n.lastAt} desc, ${n.id} desc limit ${limit}`,
});

export function storedNotices(on: Sql, limit: number): Promise<readonly StoredNotice[]> {
  return LIST(on, { limit });
}
