/** Events that are told again, in sets of bounded size: which of them may be, and putting their deliveries back into the queue. */
import { destinationOf } from '../../../domain/webhooks/webhook-url.ts';
import type { Scope } from '../../../ports/queries.ts';
import type { DeliveryAgain, EventsAgain, WantedAgain } from '../../../ports/webhooks/webhook-outbox.ts';
import { seekOnly } from '../client/by-index.ts';
import type { Sql } from '../client/sql.ts';

// Times never run backwards along the dense numbers, so the first of a time is found by halving. $3 is the number to begin behind.
const HALVING = `
  halving (low, high) as (
    select $3::bigint + 1, greatest($3::bigint, coalesce((
      select c.value from counters c where c.merchant_id = $1 and c.sandbox = $2 and c.stream = 'events'), 0)) + 1
    union all
    select case when e.event_at < $4 then middle + 1 else low end, case when e.event_at < $4 then high else middle end
    from halving cross join lateral (select (low + high) / 2 as middle) m
    join webhook_deliveries e on e.merchant_id = $1 and e.sandbox = $2 and e.event_seq = middle and e.event_at is not null
    where low < high and $4::timestamptz is not null)`;

// One of an invoice still is how things stand while no change followed it; one of a payout while no event did. The rows beside an event
// are fetched one by one, through "limit 1": for a set of unknown length the planner might read whole tables.
const LOOK = `
  with recursive ${HALVING},
  looked as materialized (
    select d.id, d.invoice_id, d.invoice_version, d.payout_id, d.event_seq, d.event_at, d.url, d.body from webhook_deliveries d
    where d.merchant_id = $1 and d.sandbox = $2 and d.event_seq >= (select max(low) from halving) and d.event_at is not null
    order by d.event_seq limit $8)
  select d.event_seq as seq, coalesce(d.event_at > $5, false) as beyond, d.id,
    case when stands.status = any ($6::text[]) is not false and (q.dead_at is not null or (q.waits is null and not ($7 and d.url is not null)))
      then stands.url end as url
  from looked d
  left join lateral (
    (select i.status, coalesce(i.notify_url, m.callback_url, d.url) as url
     from invoices i join merchants m on m.id = i.merchant_id
     where i.id = d.invoice_id and i.version = d.invoice_version limit 1)
    union all
    (select p.status, coalesce(m.callback_url, d.url) as url
     from payouts p join merchants m on m.id = p.merchant_id
     where p.id = d.payout_id and m.payout_webhooks and p.status = d.body::json ->> 'status' and not exists (
       select from webhook_deliveries later where later.payout_id = d.payout_id and later.event_seq > d.event_seq)
     limit 1)) stands on true
  left join lateral (
    select true as waits, q.dead_at from webhook_queue q where q.delivery_id = d.id limit 1) q on true
  order by d.event_seq`;

interface LookedRow {
  readonly seq: string;
  readonly beyond: boolean;
  readonly id: string;
  readonly url: string | null;
}

export async function eventsToTellAgain(
  sql: Sql,
  { merchantId, sandbox }: Scope,
  { after, from, to, statuses, undelivered }: WantedAgain,
  most: number,
): Promise<EventsAgain> {
  const wanted = [merchantId, sandbox, after, from, to, statuses, undelivered, most];
  await seekOnly(sql);
  const looked = await sql.query<LookedRow>(LOOK, wanted);
  const within = looked.filter(({ beyond }) => !beyond);
  return {
    deliveries: within.flatMap(({ id, url }) => (url === null ? [] : [{ id, url }])),
    last: Number(within.at(-1)?.seq ?? after),
    more: within.length === most,
  };
}

// What waits is not touched. What was given up begins anew; a delivery to another place is one of that place from now on.
const QUEUE = `
  with given as materialized (
    select * from unnest($1::text[], $2::text[], $3::text[]) as g (id, url, destination)),
  queued as (
    insert into webhook_queue (delivery_id, merchant_id, destination, due_at, attempts)
    select d.id, d.merchant_id, g.destination, $4, 0 from given g join webhook_deliveries d on d.id = g.id order by d.id
    on conflict (delivery_id) do update set destination = excluded.destination, due_at = excluded.due_at, attempts = 0, dead_at = null
    where webhook_queue.dead_at is not null
    returning delivery_id),
  moved as (
    update webhook_deliveries d set url = g.url from given g
    where d.id = g.id and d.id in (select delivery_id from queued) and d.url is distinct from g.url)
  select delivery_id from queued`;

export async function queueAgain(
  sql: Sql,
  deliveries: readonly DeliveryAgain[],
  dueAt: Date,
): Promise<number> {
  if (deliveries.length === 0) return 0;
  const urls = deliveries.map(({ url }) => url);
  const given = [deliveries.map(({ id }) => id), urls, urls.map(destinationOf), dueAt];
  return (await sql.query(QUEUE, given)).length;
}
