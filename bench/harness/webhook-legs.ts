/**
 * The leg in which our dispatcher works off a backlog of deliveries, with whatever transport its
 * service has.
 */
import type { WebhookDispatcher } from '../../src/app/webhooks/deliver-webhooks.ts';
import { destinationOf } from '../../src/domain/webhooks/webhook-url.ts';
import type { Leg, LegResult } from './legs.ts';
import { type Cost, costOfEach } from './process-figures.ts';
import { latency } from './statistics.ts';
import type { timed, Workshop } from './webhook-workshop.ts';

/** Size of a round's backlog for each second it may take. */
export const PER_SECOND = 2_000;

const ENQUEUE = `
  with delivery as (
    insert into webhook_deliveries (id, invoice_id, merchant_id, sandbox, invoice_version, url, body)
    select lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 12, '0'),
      i.id, i.merchant_id, true, null, ($1::text[])[1 + i.owner % cardinality($1::text[])], $2
    from generate_series(1, $3::int) n
    join (
      select *, row_number() over (order by id) as position, dense_rank() over (order by merchant_id) as owner
      from invoices) i
      on i.position = 1 + n % (select count(*) from invoices)
    returning id, merchant_id, url)
  insert into webhook_queue (delivery_id, merchant_id, sandbox, destination, due_at, attempts)
  select d.id, d.merchant_id, true, place.destination, now(), 0
  from delivery d join unnest($1::text[], $4::text[]) as place (url, destination) using (url)`;

/** Queues deliveries of all merchants; each has one of the receivers. */
async function enqueueBacklog({ sql, urls, body }: Workshop, count: number): Promise<void> {
  await sql.unsafe(ENQUEUE, [arrayOf(urls), body, count, arrayOf(urls.map(destinationOf))]);
  await sql.unsafe('vacuum analyze');
}

/** None of the texts holds a quote or a comma. */
export const arrayOf = (texts: readonly string[]): string => `{${texts.join(',')}}`;

/** With what each webhook cost. */
export type WebhookResult = LegResult & Cost;

export function dispatcherLeg(
  name: string,
  workshop: Workshop,
  dispatcher: WebhookDispatcher,
  transport: ReturnType<typeof timed>,
  perSecond = PER_SECOND,
): Leg<WebhookResult> {
  return {
    name,
    async run(seconds) {
      const count = seconds * perSecond;
      await enqueueBacklog(workshop, count);
      transport.takeTimes();
      const receivedBefore = await workshop.received();
      let made = 0;
      const cost = await costOfEach(count, workshop.sql, async () => {
        made = await dispatcher.run();
      });
      const received = (await workshop.received()) - receivedBefore;
      const [left] = await workshop.sql.unsafe('select count(*)::int as deliveries from webhook_queue');
      if (made !== count || received !== count || left.deliveries !== 0) {
        throw new Error(`${count} deliveries: ${made} attempts, ${received} posts, ${left.deliveries} left`);
      }
      return { rate: 1 / cost.elapsed, latency: latency(transport.takeTimes()), ...cost };
    },
  };
}
