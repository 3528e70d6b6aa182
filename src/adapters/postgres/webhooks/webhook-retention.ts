/** Removes attempts, events and replays in small batches, each by an index. */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { TimesOver } from '../../../ports/kept-times.ts';
import type { WebhookRetention } from '../../../ports/webhooks/webhook-retention.ts';
import { seekOnly } from '../client/by-index.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals } from '../schema/columns.ts';
import { counters as c, type Stream } from '../schema/merchants.ts';
import { webhookAttempts as a, webhookDeliveries as d, webhookQueue as q } from '../schema/webhooks.ts';
import { statement } from '../statement.ts';
import { at, names, value } from '../statement-parts.ts';

const GIVEN = { from: d.eventAt, before: d.eventAt, limit: value<number>('bigint') };
const COUNT = { removed: sql`count(*)`.mapWith(Number) };

/** A delivery that may still be sent, was given up lately, or has an attempt in the log. */
const isNeeded = (before: SQL): SQL => sql`(
  exists (select from ${q} where ${q.deliveryId} = ${d.id} and (${q.deadAt} is null or ${q.deadAt} >= ${before}))
  or exists (select from ${a} where ${a.invoiceId} = ${d.invoiceId} and ${a.deliveryId} = ${d.id})
  or exists (select from ${a} where ${a.invoiceId} is null and ${a.deliveryId} = ${d.id}))`;

interface Numbered {
  readonly stream: Stream;
  readonly table: PgTable & {
    readonly id: AnyColumn;
    readonly merchantId: AnyColumn;
    readonly sandbox: AnyColumn;
  };
  readonly number: AnyColumn;
  /** The rows that have a number of their own. */
  readonly only: SQL;
  readonly stays: (from: SQL, before: SQL) => SQL;
  /** Removes the rows with the ids `gone`. */
  readonly removal: (before: SQL) => SQL;
}

/** In one statement. More merchants wait for the next one. */
const LISTS = sql.raw('50');

// The oldest rows of some lists, as long as none of them stays: of each as many as of the others.
// Their counters are locked, which are the last locks of whoever writes to the lists.
function removing({ stream, table, number, only, stays, removal }: Numbered) {
  const of = (from: string) => sql`${at(from, c.merchantId)}, ${at(from, c.sandbox)}`;
  return statement({
    given: GIVEN,
    selects: COUNT,
    text: ({ from, before, limit }, select) => sql`
      with due as materialized (
        select ${c.merchantId}, ${c.sandbox}, ${c.removed} from ${c}
        where ${equals(c.stream, stream)} and ${c.removed} < ${c.value} and exists (
          select from ${table}
          where ${table.merchantId} = ${c.merchantId} and ${table.sandbox} = ${c.sandbox} and ${only}
            and ${number} = ${c.removed} + 1 and not (${stays(from, before)}))
        limit least(${LISTS}, ${limit}) for no key update skip locked),
      page as materialized (
        select ${of('due')}, ${table.id}, ${number} as number, ${stays(from, before)} as stays
        from due join ${table} on (${table.merchantId}, ${table.sandbox}) = (${of('due')})
        where ${only} and ${number} > due.removed
          and ${number} <= due.removed + ${limit} / greatest((select count(*) from due), 1)),
      last as materialized (
        select ${of('page')}, coalesce(min(number) filter (where stays) - 1, max(number)) as number
        from page group by ${of('page')}),
      gone as materialized (
        select page.id from page join last on (${of('last')}) = (${of('page')}) where page.number <= last.number),
      ${removal(before)},
      moved as (
        update ${c} set ${names(c.removed)} = last.number from last
        where (${c.merchantId}, ${c.sandbox}) = (${of('last')}) and ${equals(c.stream, stream)})
      select ${select} from gone`,
  });
}

const GONE = sql`any (array(select id from gone))`;
// One that is queued again meanwhile stays in the queue, and its key refuses the whole removal.
const removalOfDeliveries = (before: SQL): SQL => sql`
  unqueued as (delete from ${q} where ${q.deliveryId} = ${GONE} and ${q.deadAt} < ${before}),
  removed as (delete from ${d} where ${d.id} = ${GONE})`;

const REMOVE_ATTEMPTS = removing({
  ...{ stream: 'notifications', table: a, number: a.seq, only: sql`true` },
  stays: (from, before) => sql`(${a.sentAt} >= ${before} or ${a.sentAt} < ${from})`,
  removal: () => sql`removed as (delete from ${a} where ${a.id} = ${GONE})`,
});
const REMOVE_EVENTS = removing({
  ...{ stream: 'events', table: d, number: d.eventSeq, only: sql`${d.eventAt} is not null` },
  stays: (from, before) => sql`(${d.eventAt} >= ${before} or ${d.eventAt} < ${from} or ${isNeeded(before)})`,
  removal: removalOfDeliveries,
});

// An id begins with its time in milliseconds.
const idOf = (time: SQL): SQL =>
  sql`lpad(to_hex((extract(epoch from ${time}::timestamptz) * 1000)::bigint), 12, '0')`;
const REMOVE_REPLAYS = statement({
  given: GIVEN,
  selects: COUNT,
  text: ({ from, before, limit }, select) => sql`
    with gone as materialized (
      select ${d.id} from ${d}
      where ${d.eventAt} is null
        and ${d.id} >= ${idOf(from)} and ${d.id} < ${idOf(before)}
        and not ${isNeeded(sql`${before}::timestamptz`)}
      order by ${d.id} limit ${limit} for update skip locked),
    ${removalOfDeliveries(sql`${before}::timestamptz`)}
    select ${select} from gone`,
});

export function webhookRetention(on: Sql): WebhookRetention {
  const removed = async (remove: typeof REMOVE_REPLAYS, over: TimesOver, limit: number): Promise<number> => {
    // Plans from when the tables were small would read all of them.
    await seekOnly(on);
    return theOnly(await remove(on, { ...over, limit }), 'a count of removed rows').removed;
  };
  return {
    removeAttempts: (over, limit) => removed(REMOVE_ATTEMPTS, over, limit),
    removeEvents: (over, limit) => removed(REMOVE_EVENTS, over, limit),
    removeReplays: (over, limit) => removed(REMOVE_REPLAYS, over, limit),
  };
}
