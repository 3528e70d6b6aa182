/** Notices to operators and their messages. */
import { getTableColumns, sql } from 'drizzle-orm';
import { GIVEN_UP_AFTER_MS, GROUPED_MS } from '../../../domain/notices/operator-notice.ts';
import type {
  OperatorNoticeRepository,
  TakenDelivery,
} from '../../../ports/notices/operator-notice-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { operatorNoticeDeliveries as d, operatorNotices as n } from '../schema/console/notices.ts';
import { type RowOf, statement } from '../statement.ts';
import { at, insertInto, insertSelect, listOf, names, set, toExcluded, value } from '../statement-parts.ts';

const { id: ID, ...CONTENT } = getTableColumns(n);
const DELIVERY = getTableColumns(d);

const LOCK = statement({
  given: { event: value<string>('text'), subject: value<string>('text') },
  text: ({ event, subject }) => sql`
    select pg_advisory_xact_lock(hashtextextended('operator_notices ' || ${event} || ' ' || ${subject}, 0))`,
});
const NEWEST = statement({
  given: { event: n.event, subject: n.subject },
  selects: { id: ID, ...CONTENT },
  text: ({ event, subject }, select) => sql`
    select ${select} from ${n} where ${n.event} = ${event} and ${n.subject} = ${subject}
    order by ${n.firstAt} desc, ${n.id} desc limit 1`,
});
// The earlier ones of a subject are `renewed`.
const OPEN_OF = statement({
  given: { event: n.event },
  selects: { id: ID, ...CONTENT },
  text: ({ event }, select) => sql`
    select ${select} from ${n} where ${n.event} = ${event} and ${equals(n.status, 'open')}
    order by ${n.subject}, ${n.firstAt}, ${n.id}`,
});
const SAVE = statement({
  given: { id: ID, ...CONTENT },
  text: (values) => sql`
    ${insertInto(n, values)}
    on conflict (${names(ID)}) do update set ${toExcluded(...Object.values(CONTENT))}`,
});

/** Whether its recipient knows of the alarm, and not of its end. */
const KNOWN = sql`exists (
  select from ${d} where ${d.noticeId} = ${n.id} and ${d.channel} = r.channel and ${d.recipient} = r.recipient
    and ${equals(d.message, 'raised')} and ${equals(d.status, 'sent')} and not ${equals(d.told, 'over')})`;
const PLAN = statement({
  given: {
    now: value<Date>('timestamptz'),
    dayAgo: value<Date>('timestamptz'),
    hourAgo: value<Date>('timestamptz'),
    channels: listOf(d.channel),
    recipients: listOf(d.recipient),
  },
  text: ({ now, dayAgo, hourAgo, channels, recipients }) => sql`
    ${insertSelect(d, {
      noticeId: sql<string>`${n.id}`,
      message: at('m', d.message),
      channel: at('r', d.channel),
      recipient: at('r', d.recipient),
      status: sql`'queued'`,
      tries: sql<number>`0`,
      dueAt: sql<Date>`${now}`,
      createdAt: sql<Date>`${now}`,
    })}
    from ${n} cross join unnest(${channels}, ${recipients}) r (channel, recipient)
    cross join lateral (
      select 'raised' as message where ${n.firstAt} > ${dayAgo} and not ${equals(n.status, 'renewed')}
      union all
      select 'again' where ${n.count} > 1 and ${oneOf(n.status, ['noted', 'open'])}
        and ${n.firstAt} <= ${hourAgo} and ${KNOWN}
      union all
      select 'over' where ${equals(n.status, 'over')} and ${KNOWN}) m
    where ${n.lastAt} > ${dayAgo} or ${n.overAt} > ${dayAgo}
    on conflict do nothing`,
});

const TAKEN = {
  ...DELIVERY,
  id: n.id,
  event: n.event,
  subject: n.subject,
  fields: n.fields,
  noticeStatus: n.status,
  firstAt: n.firstAt,
  lastAt: n.lastAt,
  count: n.count,
  overAt: n.overAt,
};
/** Of those of a channel. */
const MESSAGE = sql`${d.noticeId}, ${d.message}, ${d.recipient}`;
const TAKE = statement({
  given: {
    channel: d.channel,
    now: d.dueAt,
    until: d.dueAt,
    limit: value<number>('bigint'),
  },
  selects: TAKEN,
  text: ({ channel, now, until, limit }, select) => sql`
    with due as (
      select ${names(d.noticeId, d.message, d.channel, d.recipient, d.dueAt)} from ${d}
      where ${equals(d.status, 'queued')} and ${d.dueAt} <= ${now} and ${d.channel} = ${channel}
      order by ${d.dueAt}, ${MESSAGE} limit ${limit} for no key update skip locked),
    taken as (
      update ${d} set ${set(d, { tries: sql<number>`${d.tries} + 1`, dueAt: until })}
      from due
      where ${d.noticeId} = ${at('due', d.noticeId)} and ${d.message} = ${at('due', d.message)}
        and ${d.channel} = ${at('due', d.channel)} and ${d.recipient} = ${at('due', d.recipient)}
      returning ${d}.*, ${at('due', d.dueAt)} as was_due)
    select ${select} from taken ${d} join ${n} on ${n.id} = ${d.noticeId} order by was_due, ${MESSAGE}`,
});
const SAVE_DELIVERY = statement({
  given: {
    noticeId: d.noticeId,
    message: d.message,
    channel: d.channel,
    recipient: d.recipient,
    status: d.status,
    dueAt: d.dueAt,
    failure: d.failure,
    told: d.told,
  },
  selects: { noticeId: d.noticeId },
  text: ({ noticeId, message, channel, recipient, ...changes }, select) => sql`
    update ${d} set ${set(d, changes)}
    where ${d.noticeId} = ${noticeId} and ${d.message} = ${message} and ${d.channel} = ${channel}
      and ${d.recipient} = ${recipient}
    returning ${select}`,
});
const FORGET = statement({
  given: { before: n.lastAt, limit: value<number>('bigint') },
  selects: { id: n.id },
  text: ({ before, limit }, select) => sql`
    delete from ${n} where ${n.id} in (
      select ${names(n.id)} from ${n} where ${n.lastAt} < ${before} order by ${n.lastAt} limit ${limit})
    returning ${select}`,
});

export function operatorNoticeRepository(on: Sql): OperatorNoticeRepository {
  return {
    async lockNewest({ event, subject }) {
      await LOCK(on, { event, subject });
      return (await NEWEST(on, { event, subject }))[0] ?? null;
    },
    openOf: (event) => OPEN_OF(on, { event }),
    async save(notice) {
      await SAVE(on, notice);
    },
    async plan({ to, now }) {
      if (to.length === 0) return;
      await PLAN(on, {
        now,
        dayAgo: new Date(now.getTime() - GIVEN_UP_AFTER_MS),
        hourAgo: new Date(now.getTime() - GROUPED_MS),
        channels: to.map(({ channel }) => channel),
        recipients: to.map(({ recipient }) => recipient),
      });
    },
    take: async (of) => (await TAKE(on, of)).map(takenFromRow),
    async saveDelivery(delivery) {
      theOnly(await SAVE_DELIVERY(on, delivery), `save of a message of notice ${delivery.noticeId}`);
    },
    forget: async (of) => (await FORGET(on, of)).length,
  };
}

function takenFromRow({
  id,
  event,
  subject,
  fields,
  noticeStatus: status,
  firstAt,
  lastAt,
  count,
  overAt,
  ...delivery
}: RowOf<typeof TAKEN>): TakenDelivery {
  return { delivery, notice: { id, event, subject, fields, status, firstAt, lastAt, count, overAt } };
}
