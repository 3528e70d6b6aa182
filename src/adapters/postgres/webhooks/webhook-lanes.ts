/**
 * Walks over the lanes of the queue (a merchant's deliveries to one destination) by the index
 * `webhook_queue_lanes`: from lane to lane and from merchant to merchant with one look-up each. The
 * cost of a page depends on the number of its lanes and never on the length of a backlog (safety
 * W1).
 */
import { type SQL, sql } from 'drizzle-orm';
import type { DueLane, WebhookQueue } from '../../../ports/webhooks/webhook-queue.ts';
import { byIndex } from '../client/by-index.ts';
import type { Database } from '../client/client.ts';
import { theOnly } from '../client/statements.ts';
import { webhookCircuits as c, webhookQueue as q } from '../schema/webhooks.ts';
import { statement } from '../statement.ts';
import { listOf, value } from '../statement-parts.ts';
import { holdsBack, isTurnToTry } from './webhook-circuits.ts';

/** A lane, and whether it is the last one read. */
type SeenLane = DueLane & { readonly due: boolean; readonly isLast: boolean };

export const isFree = (now: SQL): SQL => sql`(${q.leasedUntil} is null or ${q.leasedUntil} <= ${now})`;

/**
 * The deliveries of a lane that are due and free, oldest due first. Its bounds compare whole rows,
 * so that only the lanes' index fits them.
 */
export const dueIn = (merchantId: SQL, destination: SQL, now: SQL): SQL => sql`
  select ${q.deliveryId} from ${q}
  where ${q.deadAt} is null and ${isFree(now)}
    and (${q.merchantId}, ${q.destination}) >= (${merchantId}, ${destination})
    and (${q.merchantId}, ${q.destination}, ${q.dueAt}) <= (${merchantId}, ${destination}, ${now})
  order by ${q.merchantId}, ${q.destination}, ${q.dueAt}, ${q.deliveryId}`;

const MERCHANT = sql`merchant.id`;
const LANE = sql`lane.destination`;
// The order by the whole index leaves the planner no other index, whatever the statistics of a
// lane.
const NEXT_FIRST = sql`order by ${q.merchantId}, ${q.destination} limit 1`;
const PAGE = statement({
  given: {
    now: q.dueAt,
    after: q.merchantId,
    merchants: value<number>('bigint'),
    lanesEach: value<number>('bigint'),
    within: listOf(q.merchantId),
    withinAfter: listOf(q.destination),
  },
  selects: {
    afterMerchant: sql<string | null>`after_merchant`,
    lanes: sql<readonly SeenLane[] | null>`lanes`,
  },
  text: ({ now, after, merchants, lanesEach, within, withinAfter }, select) => sql`
    with recursive merchant (id, n) as (
      (select ${q.merchantId}, 1 from ${q}
       where ${q.deadAt} is null and ${q.merchantId} > ${after} ${NEXT_FIRST})
      union all
      select (
        select ${q.merchantId} from ${q}
        where ${q.deadAt} is null and ${q.merchantId} > ${MERCHANT} ${NEXT_FIRST}), n + 1
      from merchant where ${MERCHANT} is not null and n < ${merchants}),
    seen as materialized (
      select ${MERCHANT} as merchant_id, ${LANE}, lane.n, ${c.state} is not null as troubled,
        coalesce(held, false) as held,
        (held is not true or ${isTurnToTry(MERCHANT, now)})
          and (${dueIn(MERCHANT, LANE, now)} limit 1) is not null as due
      from merchant
      left join unnest(${within}, ${withinAfter}) as within (merchant_id, after) on within.merchant_id = ${MERCHANT}
      cross join lateral (
        with recursive step (destination, n) as (
          (select ${q.destination}, 1 from ${q}
           where ${q.deadAt} is null and ${q.merchantId} = ${MERCHANT}
             and ${q.destination} > coalesce(within.after, '') ${NEXT_FIRST})
          union all
          select (
            select ${q.destination} from ${q}
            where ${q.deadAt} is null and ${q.merchantId} = ${MERCHANT}
              and ${q.destination} > step.destination ${NEXT_FIRST}), n + 1
          from step where step.destination is not null and n < ${lanesEach})
        select destination, n from step where destination is not null) lane
      left join ${c} on ${c.destination} = ${LANE}
      left join lateral (select ${holdsBack(MERCHANT)} as held) circuit on true
      where ${MERCHANT} is not null)
    select ${select} from (
      select (select id from merchant where n = ${merchants}) as after_merchant,
        (select json_agg(json_build_object(
            'merchantId', merchant_id, 'destination', destination, 'troubled', troubled, 'trial', held, 'due', due,
            'isLast', n = ${lanesEach}))
         from seen where due or n = ${lanesEach}) as lanes) page`,
});

export function dueLanes(database: Database): WebhookQueue['dueLanes'] {
  return async ({ now, walk, merchants, lanesEach }) => {
    const rows = await byIndex(database, (on) =>
      PAGE(on, {
        now,
        after: walk.afterMerchant ?? '',
        merchants,
        lanesEach,
        within: [...walk.within.keys()],
        withinAfter: [...walk.within.values()],
      }),
    );
    const { afterMerchant, lanes } = theOnly(rows, 'page of lanes');
    const found = lanes ?? [];
    return {
      lanes: found
        .filter(({ due }) => due)
        .map(({ merchantId, destination, troubled, trial }) => ({
          merchantId,
          destination,
          troubled,
          trial,
        })),
      walk: {
        afterMerchant,
        within: new Map([
          ...[...walk.within].filter(
            ([merchantId]) => !isOnPage(merchantId, walk.afterMerchant, afterMerchant),
          ),
          ...found
            .filter(({ isLast }) => isLast)
            .map(({ merchantId, destination }) => [merchantId, destination] as const),
        ]),
      },
    };
  };
}

/** Ids are hex digits, which sort equally here and in the database. */
export function isOnPage(merchantId: string, after: string | null, last: string | null): boolean {
  return merchantId > (after ?? '') && (last === null || merchantId <= last);
}
