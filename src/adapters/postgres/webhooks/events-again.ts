/**
 * Replays of events, in sets of bounded size: which of them may be replayed, and putting their
 * deliveries back into the queue.
 */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { destinationOf } from '../../../domain/webhooks/webhook-url.ts';
import type { Scope } from '../../../ports/list-queries.ts';
import type { DeliveryAgain, EventsAgain, WantedAgain } from '../../../ports/webhooks/webhook-outbox.ts';
import { seekOnly } from '../client/by-index.ts';
import type { Sql } from '../client/sql.ts';
import { equals } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { counters as c, merchants as m } from '../schema/merchants.ts';
import { payouts as p } from '../schema/payouts.ts';
import { webhookDeliveries as d, webhookQueue as q } from '../schema/webhooks.ts';
import { statement } from '../statement.ts';
import {
  at,
  columnsOf,
  insertSelect,
  listOf,
  names,
  notNull,
  nullable,
  set,
  toExcluded,
  value,
} from '../statement-parts.ts';
import { statusTold } from './stored-body.ts';

const GIVEN = {
  merchantId: d.merchantId,
  sandbox: d.sandbox,
  after: value<number>('bigint'),
  from: nullable(d.eventAt),
  to: nullable(d.eventAt),
  statuses: value<readonly string[] | null>('text[]'),
  undelivered: value<boolean>('boolean'),
  most: value<number>('bigint'),
};
const LOOKED = columnsOf('looked', {
  id: d.id,
  invoiceId: d.invoiceId,
  invoiceVersion: d.invoiceVersion,
  payoutId: d.payoutId,
  seq: d.eventSeq,
  url: d.url,
  body: d.body,
  toldStatus: d.toldStatus,
});
const later = alias(d, 'later');

const ofEvents = (
  column: AnyColumn,
  { merchantId, sandbox }: { merchantId: SQL; sandbox: SQL },
) => sql`coalesce((
  select ${column} from ${c}
  where ${c.merchantId} = ${merchantId} and ${c.sandbox} = ${sandbox} and ${equals(c.stream, 'events')}), 0)`;

/** Times never decrease along the dense numbers, so a binary search finds the first of a time. */
const halving = ({ merchantId, sandbox, after, from }: Record<keyof typeof GIVEN, SQL>) => sql`
  halving (low, high) as (
    select greatest(${after}, ${ofEvents(c.removed, { merchantId, sandbox })}) + 1,
      greatest(${after}, ${ofEvents(c.value, { merchantId, sandbox })}) + 1
    union all
    select case when ${d.eventAt} < ${from} then middle + 1 else low end,
      case when ${d.eventAt} < ${from} then high else middle end
    from halving cross join lateral (select (low + high) / 2 as middle) m
    join ${d} on ${d.merchantId} = ${merchantId} and ${d.sandbox} = ${sandbox} and ${d.eventSeq} = middle
      and ${d.eventAt} is not null
    where low < high and ${from} is not null)`;

// An invoice's event is current while no change followed it; a payout's while no event did. The
// rows beside an event are fetched one by one, through "limit 1": for a set of unknown length the
// planner might read whole tables.
const LOOK = statement({
  given: GIVEN,
  selects: {
    id: LOOKED.id,
    seq: sql`${LOOKED.seq}`.mapWith(Number),
    beyond: sql<boolean>`beyond`,
    url: sql<string | null>`again.url`,
  },
  text: (given, select) => sql`
    with recursive ${halving(given)},
    looked as materialized (
      select ${d.id}, ${d.invoiceId}, ${d.invoiceVersion}, ${d.payoutId}, ${d.eventSeq}, ${d.url}, ${d.body},
        ${d.toldStatus}, coalesce(${d.eventAt} > ${given.to}, false) as beyond
      from ${d}
      where ${d.merchantId} = ${given.merchantId} and ${d.sandbox} = ${given.sandbox}
        and ${d.eventSeq} >= (select max(low) from halving) and ${d.eventAt} is not null
      order by ${d.eventSeq} limit ${given.most})
    select ${select} from looked
    left join lateral (
      (select ${i.status}, coalesce(${i.notifyUrl}, ${m.callbackUrl}, ${LOOKED.url}) as url
       from ${i} join ${m} on ${m.id} = ${i.merchantId}
       where ${i.id} = ${LOOKED.invoiceId} and ${i.version} = ${LOOKED.invoiceVersion} limit 1)
      union all
      (select ${p.status}, coalesce(${m.callbackUrl}, ${LOOKED.url}) as url
       from ${p} join ${m} on ${m.id} = ${p.merchantId}
       where ${p.id} = ${LOOKED.payoutId} and ${m.payoutWebhooks} and ${p.status} = ${statusTold(LOOKED)}
         and not exists (
           select from ${d} later where ${later.payoutId} = ${LOOKED.payoutId} and ${later.eventSeq} > ${LOOKED.seq})
       limit 1)) stands on true
    left join lateral (
      select true as waits, ${q.deadAt} from ${q} where ${q.deliveryId} = ${LOOKED.id} limit 1) ${q} on true
    cross join lateral (
      select case when stands.status = any (${given.statuses}) is not false
        and (${q.deadAt} is not null or (waits is null and not (${given.undelivered} and ${LOOKED.url} is not null)))
        then stands.url end as url) again
    order by ${LOOKED.seq}`,
});

export async function eventsToTellAgain(
  on: Sql,
  { merchantId, sandbox }: Scope,
  wanted: WantedAgain,
  most: number,
): Promise<EventsAgain> {
  await seekOnly(on);
  const looked = await LOOK(on, { ...wanted, merchantId, sandbox, most });
  const within = looked.filter(({ beyond }) => !beyond);
  return {
    deliveries: within.flatMap(({ id, url }) => (url === null ? [] : [{ id, url }])),
    last: within.at(-1)?.seq ?? wanted.after,
    more: within.length === most,
  };
}

const GIVEN_UP = statement({
  given: {
    ...{ merchantId: q.merchantId, sandbox: q.sandbox },
    ...{ id: nullable(q.deliveryId), most: value<number>('bigint') },
  },
  selects: { id: d.id, url: sql<string>`coalesce(${i.notifyUrl}, ${m.callbackUrl}, ${d.url})` },
  text: ({ merchantId, sandbox, id, most }, select) => sql`
    select ${select} from ${q} join ${d} on ${d.id} = ${q.deliveryId} join ${m} on ${m.id} = ${q.merchantId}
    left join ${i} on ${i.id} = ${d.invoiceId}
    where ${q.merchantId} = ${merchantId} and ${q.sandbox} = ${sandbox} and ${q.deadAt} is not null
      and (${id} is null or ${q.deliveryId} = ${id})
    order by ${q.deadAt}, ${q.deliveryId} limit ${most} for no key update of ${q} skip locked`,
});

export async function givenUp(
  on: Sql,
  { merchantId, sandbox }: Scope,
  of: { readonly id: string | null; readonly most: number },
): Promise<readonly DeliveryAgain[]> {
  return GIVEN_UP(on, { ...of, merchantId, sandbox });
}

// Waiting deliveries do not change. Dead ones start again; a delivery to another URL belongs to
// that destination from now on.
const QUEUE = statement({
  given: { ids: listOf(d.id), urls: listOf(d.url), destinations: listOf(q.destination), dueAt: q.dueAt },
  selects: { deliveryId: at('queued', q.deliveryId) },
  text: ({ ids, urls, destinations, dueAt }, select) => sql`
    with given as materialized (
      select * from unnest(${ids}, ${urls}, ${destinations}) as g (${names(d.id, d.url, q.destination)})),
    queued as (
      ${insertSelect(q, {
        deliveryId: notNull(d.id),
        merchantId: notNull(d.merchantId),
        sandbox: notNull(d.sandbox),
        destination: at('given', q.destination),
        dueAt,
        attempts: sql<number>`0`,
      })}
      from given join ${d} on ${d.id} = ${at('given', d.id)} order by ${d.id}
      on conflict (${names(q.deliveryId)}) do update
        set ${toExcluded(q.destination, q.dueAt)}, ${set(q, { attempts: sql<number>`0`, deadAt: sql<null>`null` })}
        where ${q.deadAt} is not null
      returning ${q.deliveryId}),
    moved as (
      update ${d} set ${set(d, { url: at('given', d.url) })} from given
      where ${d.id} = ${at('given', d.id)} and ${d.id} in (select ${names(q.deliveryId)} from queued)
        and ${d.url} is distinct from ${at('given', d.url)})
    select ${select} from queued`,
});

export async function queueAgain(
  on: Sql,
  deliveries: readonly DeliveryAgain[],
  dueAt: Date,
): Promise<number> {
  if (deliveries.length === 0) return 0;
  const urls = deliveries.map(({ url }) => url);
  const destinations = urls.map(destinationOf);
  return (await QUEUE(on, { ids: deliveries.map(({ id }) => id), urls, destinations, dueAt })).length;
}
