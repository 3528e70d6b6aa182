/**
 * Walks over the lanes of the queue (a merchant's deliveries to one destination) by the index `webhook_queue_lanes`: from lane
 * to lane and from merchant to merchant with one look-up each, so that what a page costs depends on the number of lanes that
 * it looks at and never on the length of a backlog (safety W1).
 */
import type { DueLane, WebhookQueue } from '../../../ports/webhooks/webhook-queue.ts';
import { byIndex } from '../client/by-index.ts';
import type { Database } from '../client/client.ts';
import { theOnly } from '../client/statements.ts';
import { holdsBack, isTurnToTry } from './webhook-circuits.ts';

// The order by the whole index leaves its plan no other index to choose, whatever the statistics say of one lane.
const PAGE = `
  with recursive merchant (id, n) as (
    (select w.merchant_id, 1 from webhook_queue w
     where w.dead_at is null and w.merchant_id > $2 order by w.merchant_id, w.destination limit 1)
    union all
    select (
      select w.merchant_id from webhook_queue w
      where w.dead_at is null and w.merchant_id > merchant.id order by w.merchant_id, w.destination limit 1), n + 1
    from merchant where merchant.id is not null and n < $3),
  seen as materialized (
    select merchant.id as merchant_id, lane.destination, lane.n, c.state is not null as troubled,
      coalesce(held, false) as held,
      (held is not true or ${isTurnToTry('c', 'merchant.id')})
        and (${dueIn('merchant.id', 'lane.destination')} limit 1) is not null as due
    from merchant
    left join unnest($5::text[], $6::text[]) as within (merchant_id, after) on within.merchant_id = merchant.id
    cross join lateral (
      with recursive step (destination, n) as (
        (select w.destination, 1 from webhook_queue w
         where w.dead_at is null and w.merchant_id = merchant.id and w.destination > coalesce(within.after, '')
         order by w.merchant_id, w.destination limit 1)
        union all
        select (
          select w.destination from webhook_queue w
          where w.dead_at is null and w.merchant_id = merchant.id and w.destination > step.destination
          order by w.merchant_id, w.destination limit 1), n + 1
        from step where step.destination is not null and n < $4)
      select destination, n from step where destination is not null) lane
    left join webhook_circuits c on c.destination = lane.destination
    left join lateral (select ${holdsBack('c', 'merchant.id')} as held) circuit on true
    where merchant.id is not null)
  select (select id from merchant where n = $3) as after_merchant,
    (select json_agg(json_build_object(
        'merchantId', merchant_id, 'destination', destination, 'troubled', troubled, 'trial', held, 'due', due,
        'isLast', n = $4))
     from seen where due or n = $4) as lanes`;

interface PageRow {
  readonly after_merchant: string | null;
  readonly lanes: readonly (DueLane & { readonly due: boolean; readonly isLast: boolean })[] | null;
}

/**
 * The deliveries of a lane that are due and free at $1, oldest due first. Its bounds compare whole rows: no other index than that
 * of the lanes can be read by them.
 */
export function dueIn(merchantId: string, destination: string): string {
  return `
    select w.delivery_id from webhook_queue w
    where w.dead_at is null and (w.leased_until is null or w.leased_until <= $1)
      and (w.merchant_id, w.destination) >= (${merchantId}, ${destination})
      and (w.merchant_id, w.destination, w.due_at) <= (${merchantId}, ${destination}, $1)
    order by w.merchant_id, w.destination, w.due_at, w.delivery_id`;
}

export function dueLanes(database: Database): WebhookQueue['dueLanes'] {
  return async ({ now, walk, merchants, lanesEach }) => {
    const rows = await byIndex<PageRow>(database, PAGE, [
      now,
      walk.afterMerchant ?? '',
      merchants,
      lanesEach,
      [...walk.within.keys()],
      [...walk.within.values()],
    ]);
    const { after_merchant: afterMerchant, lanes } = theOnly(rows, 'page of lanes');
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

/** Ids are hex digits, which sort alike here and in the database. */
function isOnPage(merchantId: string, after: string | null, last: string | null): boolean {
  return merchantId > (after ?? '') && (last === null || merchantId <= last);
}
