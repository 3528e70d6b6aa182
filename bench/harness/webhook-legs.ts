/** The leg in which our dispatcher works off a backlog of deliveries, with whatever transport its service has. */

import type { WebhookDispatcher } from '../../src/app/deliver-webhooks.ts';
import { destinationOf } from '../../src/domain/webhook-url.ts';
import type { Leg } from './legs.ts';
import { latency } from './statistics.ts';
import type { timed, Workshop } from './webhook-workshop.ts';

/** Size of a round's backlog for each second it may take. */
export const PER_SECOND = 2_000;

const ENQUEUE = `
  with delivery as (
    insert into webhook_deliveries (id, invoice_id, merchant_id, sandbox, invoice_version, url, body)
    select lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 12, '0'),
      i.id, i.merchant_id, true, null, $1, $2
    from generate_series(1, $3::int) n
    join (select *, row_number() over (order by id) as position from invoices) i
      on i.position = 1 + n % (select count(*) from invoices)
    returning id, merchant_id)
  insert into webhook_queue (delivery_id, merchant_id, destination, due_at, attempts)
  select id, merchant_id, $4, now(), 0 from delivery`;

export function dispatcherLeg(
  name: string,
  workshop: Workshop,
  dispatcher: WebhookDispatcher,
  transport: ReturnType<typeof timed>,
): Leg {
  return {
    name,
    async run(seconds) {
      const count = seconds * PER_SECOND;
      await workshop.sql.unsafe(ENQUEUE, [workshop.url, workshop.body, count, destinationOf(workshop.url)]);
      await workshop.sql.unsafe('vacuum analyze');
      transport.takeTimes();
      const receivedBefore = await workshop.received();
      const began = performance.now();
      const made = await dispatcher.run();
      const rate = (count * 1000) / (performance.now() - began);
      const received = (await workshop.received()) - receivedBefore;
      const [left] = await workshop.sql.unsafe('select count(*)::int as deliveries from webhook_queue');
      if (made !== count || received !== count || left.deliveries !== 0) {
        throw new Error(`${count} deliveries: ${made} attempts, ${received} posts, ${left.deliveries} left`);
      }
      return { rate, latency: latency(transport.takeTimes()) };
    },
  };
}
